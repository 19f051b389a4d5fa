#!/usr/bin/env python3
"""Makes test/golden/formats/{kaldi,safetensors,tar,jsonl}, with nothing of millrace: bytes by struct, json, tarfile, gzip,
GNU tar and zstd. expected.json beside the files describes their content. Run it in the root of the repository; the files
are committed, so that tests need none of these programs."""
import gzip, io, json, os, struct, subprocess, tarfile, tempfile

root = os.path.join("test", "golden", "formats")


def f32(x):
    """Rounds to float32, as each step of Kaldi's arithmetic does."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def save(path, data):
    path = os.path.join(root, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def save_json(path, value):
    save(path, (json.dumps(value, indent=1) + "\n").encode())


# --- Kaldi ---------------------------------------------------------------------------------------------------------

def int32(n):
    return b"\x04" + struct.pack("<i", n)


def floats(token, code, shape, values):
    return b"\0B" + token + b" " + b"".join(map(int32, shape)) + struct.pack("<%d%s" % (len(values), code), *values)


def int_vector(values):
    return b"\0B" + int32(len(values)) + b"".join(map(int32, values))


def compressed_header(token, low, span, rows, columns):
    return b"\0B" + token + b" " + struct.pack("<ffii", low, span, rows, columns)


def cm(low, span, rows, percentiles, codes):
    """percentiles: four uint16 a column; codes: bytes by column."""
    low, span, columns = f32(low), f32(span), len(percentiles)
    data = compressed_header(b"CM", low, span, rows, columns)
    data += b"".join(struct.pack("<4H", *p) for p in percentiles) + bytes(sum(codes, []))
    values = [[0.0] * columns for _ in range(rows)]
    for c, (ps, column) in enumerate(zip(percentiles, codes)):
        step = f32(span * f32(1.52590218966964e-05))
        p0, p25, p75, p100 = (f32(low + f32(step * p)) for p in ps)
        for r, b in enumerate(column):
            if b <= 64:
                v = p0 + f32(f32(p25 - p0) * b) * (1 / 64.0)
            elif b <= 192:
                v = p25 + f32(f32(p75 - p25) * (b - 64)) * (1 / 128.0)
            else:
                v = p75 + f32(f32(p100 - p75) * (b - 192)) * (1 / 63.0)
            values[r][c] = f32(v)
    return data, sum(values, [])


def linear(token, code, most, low, span, rows, columns, codes):
    low, span = f32(low), f32(span)
    step = f32(span * (1.0 / most))
    data = compressed_header(token, low, span, rows, columns) + struct.pack("<%d%s" % (len(codes), code), *codes)
    return data, [f32(low + f32(c * step)) for c in codes]


def kaldi():
    single = [f32(x) for x in (0.1, -2.5, 3e10, -1e-20, 0.0, 7.25)]
    double = [0.1, -2.5, 1e300, -5e-324, 0.0, 7.25]
    rows = 300  # enough that readers may want a table of the 256 codes
    wide = [[(r * 7 + c * 31) % 256 for r in range(rows)] for c in range(3)]
    cm_short = cm(-5.5, 20.25, 4, [(0, 9000, 40000, 65535), (100, 101, 102, 103)], [[0, 64, 65, 192], [193, 255, 1, 128]])
    cm_long = cm(-80.125, 163.7, rows, [(1, 20000, 30000, 60000), (5000, 5001, 64000, 65535), (0, 1, 2, 3)], wide)
    cm2 = linear(b"CM2", "H", 65535.0, -3.3, 9.9, 2, 3, [0, 1, 32768, 65534, 65535, 12345])
    cm3 = linear(b"CM3", "B", 255.0, 0.0, 1.0, 3, 2, [0, 1, 127, 128, 254, 255])
    entries = [
        ("fm", "float32", [2, 3], single, floats(b"FM", "f", [2, 3], single)),
        ("dm", "float64", [3, 2], double, floats(b"DM", "d", [3, 2], double)),
        ("fv", "float32", [6], single, floats(b"FV", "f", [6], single)),
        ("dv", "float64", [6], double, floats(b"DV", "d", [6], double)),
        ("ints", "int32", [4], [1, -2, 2147483647, -2147483648], int_vector([1, -2, 2147483647, -2147483648])),
        ("cm-short", "float32", [4, 2], cm_short[1], cm_short[0]),
        ("cm-long", "float32", [rows, 3], cm_long[1], cm_long[0]),
        ("cm2", "float32", [2, 3], cm2[1], cm2[0]),
        ("cm3", "float32", [3, 2], cm3[1], cm3[0]),
        # As Kaldi writes it, with four bytes too many.
        ("cm-empty", "float32", [0, 0], [], compressed_header(b"CM", 0, 0, 0, 0) + b"\0\0\0\0"),
        ("fm-empty", "float32", [0, 0], [], floats(b"FM", "f", [0, 0], [])),
        ("no-ints", "int32", [0], [], int_vector([])),
        ("schlüssel-鍵", "float32", [1], [1.5], floats(b"FV", "f", [1], [1.5])),
    ]
    ark, expected = b"", {}
    for key, dtype, shape, values, data in entries:
        ark += key.encode() + b" "
        expected[key] = {"dtype": dtype, "shape": shape, "offset": len(ark), "values": values}
        ark += data
    save("kaldi/binary.ark", ark)
    text = (
        "matrix  [\n  1 2.5 -3e-05 \n  4 inf -inf ]\n"
        "vector  [ 0.25 1e+10 -0 ]\n"
        "ints 3 1 -4 \n"
        "no-ints \n"
        "empty  [ ]\n"
        "nan  [ nan ]\n"
        "crlf  [ 7 8 ]\r\n"
    )
    save("kaldi/text.ark", text.encode())
    save_json("kaldi/expected.json", expected)


# --- safetensors -----------------------------------------------------------------------------------------------------

def safetensors():
    tensors = [
        ("f64", "F64", [2], struct.pack("<2d", 0.1, -1e300), [0.1, -1e300]),
        ("i64", "I64", [2], struct.pack("<2q", -1, 2**62), ["-1", str(2**62)]),
        ("weights", "F32", [2, 2], struct.pack("<4f", 1.5, -2.25, 0, 3), [1.5, -2.25, 0, 3]),
        ("bf16", "BF16", [1], struct.pack("<H", 0x3FC0), [0x3FC0]),
        ("half", "F16", [2], struct.pack("<2e", 1.5, -2), [0x3E00, 0xC000]),
        ("flags", "BOOL", [3], b"\1\0\1", [1, 0, 1]),
        ("bytes", "U8", [0, 4], b"", []),
        ("scalar", "I8", [], struct.pack("<b", -5), [-5]),
        ("1", "U8", [2], b"\7\xff", [7, 255]),
        ("fp8", "F8_E4M3", [2], b"\x38\xb8", None),
    ]
    header, data, expected = {"__metadata__": {"format": "pt", "größe": "klein"}}, b"", {}
    for name, dtype, shape, content, values in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        expected[name] = {"type": dtype, "shape": shape, "values": values}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    save("safetensors/all.safetensors", struct.pack("<Q", len(text)) + text + data)
    save_json("safetensors/expected.json", expected)


# --- tar -------------------------------------------------------------------------------------------------------------

def trimmed(data):
    """Without the padding to 10 KiB, but with the two empty blocks at the end."""
    data = data.rstrip(b"\0")
    return data + b"\0" * (-len(data) % 512 + 1024)


def tar():
    long_key = "ordner/" + "lang" * 40
    files = [
        ("utt1.json", b'{"text": "ja"}'), ("utt1.wav", b"RIFF1"),
        ("utt2.seg.npy", b"npy"), ("utt2.txt", "grüß".encode()), ("utt2.WAV", b""),
        ("sprecher/ünï.wav", b"u" * 600), (long_key + ".wav", b"long"), ("README", b"no extension"),
    ]
    for name, kind in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=kind) as archive:
            folder = tarfile.TarInfo("sprecher")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
            for path, content in files:
                if name == "ustar" and len(path.encode()) > 100 and "/" in path:
                    path = "a" * 90 + "/" + "b" * 60 + ".wav"
                info = tarfile.TarInfo(path)
                info.size, info.mtime = len(content), 1234567890.5 if name == "pax" else 1234567890
                archive.addfile(info, io.BytesIO(content))
            link = tarfile.TarInfo("link.wav")
            link.type, link.linkname = tarfile.SYMTYPE, "utt1.wav"
            archive.addfile(link)
        save("tar/python-%s.tar" % name, trimmed(buffer.getvalue()))
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files:
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as f:
                f.write(content)
        names = [path for path, _ in files]
        options = ["--format=gnu", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-b", "1"]
        data = subprocess.run(["tar", *options, "-cf", "-", "-C", folder, *names], check=True, capture_output=True).stdout
        save("tar/gnu-tar.tar", trimmed(data))
    save_json("tar/expected.json", {
        "utt1": {"json": '{"text": "ja"}', "wav": "RIFF1"},
        "utt2": {"seg.npy": "npy", "txt": "grüß", "wav": ""},
        "sprecher/ünï": {"wav": "u" * 600},
        long_key: {"wav": "long"},
    })


# --- JSONL -----------------------------------------------------------------------------------------------------------

def jsonl():
    text = "".join(json.dumps({"id": i, "text": "grüß " * i}, ensure_ascii=False) + "\n" for i in range(20)).encode()
    save("jsonl/records.jsonl", text)
    half = text.index(b"\n", len(text) // 2) + 1
    # Two members, as appending to a compressed file makes them.
    save("jsonl/records.jsonl.gz", b"".join(gzip.compress(part, mtime=0) for part in (text[:half], text[half:])))
    save("jsonl/records.jsonl.zst", subprocess.run(["zstd", "-qc"], input=text, check=True, capture_output=True).stdout)


kaldi()
safetensors()
tar()
jsonl()
