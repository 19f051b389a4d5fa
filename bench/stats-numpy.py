"""The other side of the statistics benchmark: the same sums in NumPy, utterance by utterance.

Each line on stdin names a precision; the answer is the time it took in milliseconds. `float64` is what millrace gives,
`float32` what ESPnet computes. The sums of the first are written for the comparison.
"""
import sys
import time

import numpy as np

COLUMNS = 80
corpus, lengths, out = sys.argv[1:]


def collect(precision):
    total = square = 0
    count = 0
    with open(corpus, "rb") as frames, open(out + "_shape", "w") as shapes:
        for i, rows in enumerate(np.fromfile(lengths, np.uint32)):
            x = np.fromfile(frames, np.float32, rows * COLUMNS).reshape(rows, COLUMNS)
            if precision == "float64":
                # The fastest of four ways that were tried.
                x = x.astype(np.float64)
                total = total + x.sum(0)
                square = square + np.einsum("ij,ij->j", x, x)
            else:
                total = total + x.sum(0)
                square = square + (x**2).sum(0)
            count += len(x)
            shapes.write(f"utt-{i} {rows},{COLUMNS}\n")
    np.savez(out, count=count, sum=total, sum_square=square)


print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    collect(line.strip())
    print(1000 * (time.perf_counter() - began), flush=True)
