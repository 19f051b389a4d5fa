"""Reads files of millrace with nothing but Python's own modules and prints what they hold as JSON."""
import json, os, struct, sys


def kaldi_value(f):
    assert f.read(2) == b"\0B"

    def int32():
        assert f.read(1) == b"\x04"
        return struct.unpack("<i", f.read(4))[0]

    if f.peek(1)[:1] == b"\x04":
        count = int32()
        return [count], [int32() for _ in range(count)]
    token = f.read(3)
    code = {b"F": "f", b"D": "d"}[token[:1]]
    shape = [int32() for _ in range(2 if token[1:2] == b"M" else 1)]
    count = 1
    for length in shape:
        count *= length
    return shape, list(struct.unpack("<%d%s" % (count, code), f.read(count * struct.calcsize(code))))


def kaldi(scp):
    found = {}
    for line in open(scp, encoding="utf-8"):
        key, location = line.rstrip("\n").split(" ", 1)
        path, offset = location.rsplit(":", 1)
        with open(os.path.join(os.path.dirname(scp), path), "rb") as f:
            f.seek(int(offset))
            shape, values = kaldi_value(f)
        found[key] = {"shape": shape, "values": values}
    return found


def safetensors(path):
    data = open(path, "rb").read()
    length = struct.unpack("<Q", data[:8])[0]
    assert length % 8 == 0
    header = json.loads(data[8 : 8 + length])
    found, end = {"metadata": header.pop("__metadata__", None), "tensors": {}}, 0
    for name, info in header.items():
        begin, stop = info["data_offsets"]
        assert begin == end, "tensors are not one behind the other"
        end = stop
        content = data[8 + length + begin : 8 + length + stop]
        found["tensors"][name] = {"dtype": info["dtype"], "shape": info["shape"], "hex": content.hex()}
    assert 8 + length + end == len(data)
    return found


def tar(path):
    import tarfile

    found = []
    with tarfile.open(path) as archive:
        for member in archive:
            content = archive.extractfile(member).read().hex()
            found.append([member.name, member.mtime, member.uid, member.uname, content])
    return found


print(json.dumps({"kaldi": kaldi, "safetensors": safetensors, "tar": tar}[sys.argv[1]](sys.argv[2])))
