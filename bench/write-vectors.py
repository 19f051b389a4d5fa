"""The other side of the benchmark of vectors: each in a file of its own or all in a Kaldi archive, and a list of them.

Each line on stdin names a format and a folder; the answer is the time it took in milliseconds.
"""
import os
import sys
import time

import numpy as np

count, size = map(int, sys.argv[1:])
vectors = np.arange(count * size, dtype=np.float32).reshape(count, size)


def write_npy(path, vector):
    np.save(path, vector)


def write_pt(path, vector):
    import torch

    torch.save(torch.from_numpy(vector).clone(), path)


def write_files(folder, kind):
    write = write_npy if kind == "npy" else write_pt
    os.makedirs(os.path.join(folder, "data"))
    with open(os.path.join(folder, "vectors.scp"), "w") as scp:
        for i in range(count):
            path = os.path.join(folder, "data", f"utt-{i}.{kind}")
            write(path, vectors[i])
            scp.write(f"utt-{i} {path}\n")


def write_ark(folder):
    os.makedirs(folder)
    path = os.path.join(folder, "vectors.ark")
    with open(path, "wb") as ark, open(os.path.join(folder, "vectors.scp"), "w") as scp:
        for i in range(count):
            ark.write(f"utt-{i} ".encode())
            scp.write(f"utt-{i} {path}:{ark.tell()}\n")
            ark.write(b"\0BFV \4" + size.to_bytes(4, "little"))
            ark.write(vectors[i].tobytes())


print("ready", flush=True)
for line in sys.stdin:
    kind, folder = line.split()
    if kind == "pt":
        import torch  # noqa: F401  (its import is not what is measured)
    began = time.perf_counter()
    write_ark(folder) if kind == "ark" else write_files(folder, kind)
    print(1000 * (time.perf_counter() - began), flush=True)
