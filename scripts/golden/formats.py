"""Writes test/golden/formats with NumPy and PyTorch: small files and, in index.jsonl, what they hold.

Run with Debian's Python: /usr/bin/python3 scripts/golden/formats.py
"""
import io
import json
import os
import struct
import sys
import warnings
import zipfile
from collections import OrderedDict

import numpy as np
import torch

warnings.filterwarnings("ignore")
target = os.path.join(os.path.dirname(__file__), "..", "..", "test", "golden", "formats")
os.makedirs(target, exist_ok=True)
index = {"npy": {}, "npz": {}, "zip": {}, "pt": {}}


def put(name, data):
    with open(os.path.join(target, name), "wb") as out:
        out.write(data)


def describe(array):
    """dtype, shape, and the bytes in C order, little-endian."""
    array = np.asarray(array)
    plain = np.ascontiguousarray(array).reshape(array.shape)
    data = plain.astype(plain.dtype.newbyteorder("<")).tobytes()
    return {"dtype": plain.dtype.name, "shape": list(array.shape), "hex": data.hex()}


def saved(array, version=None):
    out = io.BytesIO()
    if version is None:
        np.save(out, array)
    else:
        np.lib.format.write_array(out, array, version=version)
    return out.getvalue()


def npy(name, array, data=None, version=None):
    put(name, data or saved(array, version))
    index["npy"][name] = describe(array)


def refused(kind, name, data, because):
    put(name, data)
    index[kind][name] = {"refused": because}


rng = np.random.default_rng(20)
grid = rng.standard_normal((3, 4)).astype("<f4")
for code in ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
    raw = rng.integers(-100, 100, (2, 3))
    array = raw.astype(np.dtype(code)) if code[0] != "c" else (raw + 1j * raw[::-1]).astype(np.dtype(code))
    if code[0] == "f":
        array[0, 0] = np.nan
        array[0, 1] = -np.inf
    if code in ("i8", "u8"):
        array[0, 0] = np.iinfo(code).max
        array[0, 1] = np.iinfo(code).min
    npy(f"{code}.npy", array)
    if code[1:] != "1":
        npy(f"{code}_big_endian.npy", array.astype(array.dtype.newbyteorder(">")))
npy("scalar.npy", np.float32(2.5).reshape(()))
npy("empty_1d.npy", np.zeros(0, "<f4"))
npy("empty_2d.npy", np.zeros((0, 80), "<f8"))
npy("empty_middle.npy", np.zeros((2, 0, 3), "<i4"))
npy("vector_192.npy", rng.standard_normal(192).astype("<f4"))
npy("fortran_2d.npy", np.asfortranarray(grid))
npy("fortran_3d.npy", np.asfortranarray(rng.standard_normal((2, 3, 4))))
npy("fortran_complex_big_endian.npy", np.asfortranarray(grid + 1j * grid).astype(">c8"))
npy("five_dimensions.npy", rng.integers(0, 255, (1, 2, 1, 3, 2)).astype("u1"))
npy("version_2.npy", grid, version=(2, 0))
npy("version_3.npy", grid, version=(3, 0))
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L), }"
header += b" " * (15 - (10 + len(header)) % 16) + b"\n"
npy("python_2.npy", grid, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + grid.tobytes())
refused("npy", "strings.npy", saved(np.array(["a", "bc"])), "strings")
refused("npy", "byte_strings.npy", saved(np.array([b"a", b"bc"])), "byte strings")
refused("npy", "objects.npy", saved(np.array([{"a": 1}, None], dtype=object)), "Python objects")
refused("npy", "structured.npy", saved(np.zeros(2, [("x", "<f4"), ("y", "<i4", (2,))])), "several fields")
refused("npy", "dates.npy", saved(np.array(["2020-01-01"], "M8[D]")), "dates")
refused("npy", "long_double.npy", saved(np.zeros(2, np.longdouble)), "floats of a size")


def npz(name, save, **arrays):
    out = io.BytesIO()
    save(out, **arrays)
    put(name, out.getvalue())
    index["npz"][name] = {key: describe(value) for key, value in arrays.items()}


stats = {"count": np.int64(12), "sum": grid.astype("<f8").sum(0), "sum_square": (grid.astype("<f8") ** 2).sum(0)}
npz("stored.npz", np.savez, **stats)
npz("deflated.npz", np.savez_compressed, **stats, **{"größe": grid})
npz("none.npz", np.savez)


class Unseekable(io.RawIOBase):
    """Makes zipfile put the sizes behind the data."""

    def __init__(self):
        self.out = io.BytesIO()

    def writable(self):
        return True

    def write(self, data):
        return self.out.write(data)


def zipped(name, make, comment=b"", unseekable=False):
    out = Unseekable() if unseekable else io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for key, value in make.items():
            info = zipfile.ZipInfo(key)
            info.compress_type = zipfile.ZIP_DEFLATED if len(value) > 20 else zipfile.ZIP_STORED
            archive.writestr(info, value)
        archive.comment = comment
    put(name, (out.out if unseekable else out).getvalue())
    index["zip"][name] = {key: value.hex() for key, value in make.items()}


files = {"a.txt": b"hello", "folder/b.bin": bytes(range(256)) * 4, "empty": b"", "ü.txt": b"x" * 30}
zipped("plain.zip", files)
zipped("comment.zip", files, comment=b"a comment with PK\x05\x06 in it")
zipped("streamed.zip", files, unseekable=True)


def tensor_text(value):
    """A value as JSON, tensors as the bytes of their C order."""
    if isinstance(value, torch.Tensor):
        plain = value.detach().contiguous()
        name = str(plain.dtype).replace("torch.", "")
        data = plain.view(torch.int16).numpy() if plain.dtype == torch.bfloat16 else plain.numpy()
        return {"dtype": name, "shape": list(plain.shape), "hex": data.tobytes().hex()}
    if isinstance(value, dict):
        return {"dict": [[key, tensor_text(item)] for key, item in value.items()]}
    if isinstance(value, (list, tuple)):
        return {"list": [tensor_text(item) for item in value]}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return {"int": str(value)}
    return {"value": value}


def pt(name, value, because=None, **options):
    out = io.BytesIO()
    torch.save(value, out, **options)
    put(name, out.getvalue())
    index["pt"][name] = {"refused": because} if because else tensor_text(value)


torch.manual_seed(1)
vector = torch.randn(5)
matrix = torch.randn(3, 4)
pt("vector.pt", vector)
pt("matrix.pt", matrix)
pt("transposed.pt", matrix.t())
pt("view.pt", matrix[1:, ::2])
pt("scalar.pt", torch.tensor(2.5))
pt("empty.pt", torch.zeros(0, 4))
for dtype in ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "complex64", "complex128"]:
    pt(f"{dtype}.pt", (torch.randn(2, 3) * 10).to(getattr(torch, dtype)))
shared = torch.arange(12, dtype=torch.float32)
pt("shared_storage.pt", {"all": shared, "square": shared.view(3, 4), "columns": shared.view(3, 4).t(), "end": shared[8:]})
pt(
    "nested.pt",
    {
        "model": OrderedDict(weight=matrix, bias=vector),
        "steps": [1, -1, 70000, 2**40, 2**80, -(2**80), 0.5, -2.5e-300],
        "name": "ünïcode",
        "flags": (True, False, None),
        "shape": matrix.shape,
        3: {"deep": [[vector]]},
        "nothing": {},
        "again": vector,
    },
)
pt("protocol_4.pt", {"a": vector, "text": "b" * 300}, pickle_protocol=4)
pt("state_dict.pt", torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)).state_dict())
pt("parameter.pt", torch.nn.Parameter(vector))
pt("legacy.pt", {"a": vector, "b": matrix.t(), "c": vector[1:], "d": torch.arange(3)}, _use_new_zipfile_serialization=False)


class Call:
    def __reduce__(self):
        return (os.system, ("echo this must never run",))


class Run:
    def __reduce__(self):
        return (eval, ("1+1",))


pt("hostile_system.pt", {"a": vector, "b": Call()}, because="posix.system")
pt("hostile_eval.pt", Run(), because="__builtin__.eval")
pt("module.pt", torch.nn.Linear(2, 2), because="torch.nn.modules.linear.Linear")
pt("expanded.pt", torch.zeros(1).expand(1000, 1000), because="repeats the 1 elements")
pt("array.pt", {"a": np.zeros(2)}, because="numpy.core.multiarray._reconstruct")
script = io.BytesIO()
torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), script)
refused("pt", "torchscript.pt", script.getvalue(), "TorchScript")
out = io.BytesIO()
with zipfile.ZipFile(out, "w") as archive:
    with zipfile.ZipFile(os.path.join(target, "vector.pt")) as plain:
        for entry in plain.namelist():
            archive.writestr(entry, plain.read(entry))
        archive.writestr(plain.namelist()[0].split("/")[0] + "/byteorder", b"big")
refused("pt", "big_endian.pt", out.getvalue(), "big-endian")

with open(os.path.join(target, "index.jsonl"), "w") as out:
    for kind in ["npy", "npz", "zip", "pt"]:
        for name, holds in index[kind].items():
            out.write(json.dumps({"kind": kind, "name": name, "holds": holds}, ensure_ascii=False) + "\n")
total = sum(os.path.getsize(os.path.join(target, name)) for name in os.listdir(target))
print(f"{len(os.listdir(target))} files, {total} bytes", file=sys.stderr)
