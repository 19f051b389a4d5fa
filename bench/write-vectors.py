"""The other side of the benchmark of vectors: each in a file of its own, and a list of them.

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


print("ready", flush=True)
for line in sys.stdin:
    kind, folder = line.split()
    write = write_npy if kind == "npy" else write_pt
    if kind == "pt":
        import torch  # noqa: F401  (its import is not what is measured)
    began = time.perf_counter()
    os.makedirs(os.path.join(folder, "data"))
    with open(os.path.join(folder, "vectors.scp"), "w") as scp:
        for i in range(count):
            path = os.path.join(folder, "data", f"utt-{i}.{kind}")
            write(path, vectors[i])
            scp.write(f"utt-{i} {path}\n")
    print(1000 * (time.perf_counter() - began), flush=True)
