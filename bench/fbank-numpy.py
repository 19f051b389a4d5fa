"""The other side of the fbank benchmark: Kaldi's 80-bin fbank in NumPy and SciPy, as fast as it sensibly gets.

Frames are a view of the samples, worked on in float32 and in blocks that stay in the cache. Each line on stdin names a
library; the answer is the time it took in milliseconds.
"""
import sys
import time

import numpy as np
import scipy.fft

FRAME, SHIFT, SIZE, BINS, BLOCK = 400, 160, 512, 80, 128


def mel(f):
    return 1127 * np.log1p(f / 700)


def filters():
    edges = np.linspace(mel(20), mel(8000), BINS + 2)
    m = mel(np.arange(SIZE // 2) * 16000 / SIZE)
    left, centre, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    weights = np.minimum((m - left) / (centre - left), (right - m) / (right - centre))
    return np.ascontiguousarray(np.maximum(0, weights).T, dtype=np.float32)


def fbank(x, rfft):
    count = 1 + (len(x) - FRAME) // SHIFT
    frames = np.lib.stride_tricks.as_strided(x, (count, FRAME), (4 * SHIFT, 4))
    out = np.empty((count, BINS), np.float32)
    buffer = np.zeros((BLOCK, SIZE), np.float32)
    for start in range(0, count, BLOCK):
        f = frames[start : start + BLOCK]
        f = f - f.mean(axis=1, keepdims=True)
        b = buffer[: len(f)]
        b[:, 1:FRAME] = f[:, 1:] - np.float32(0.97) * f[:, :-1]
        b[:, 0] = f[:, 0] * np.float32(0.03)
        b[:, :FRAME] *= WINDOW
        s = rfft(b, axis=1)[:, : SIZE // 2]
        energies = (s.real**2 + s.imag**2).astype(np.float32, copy=False) @ FILTERS
        np.log(np.maximum(energies, np.float32(2.0**-23)), out=out[start : start + BLOCK])
    return out


FILTERS = filters()
WINDOW = ((0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / (FRAME - 1))) ** 0.85 * 32768).astype(np.float32)
LIBRARIES = {"numpy": np.fft.rfft, "scipy": scipy.fft.rfft}

if __name__ == "__main__":
    samples = np.fromfile(sys.argv[1], np.float32)
    fbank(samples, scipy.fft.rfft).tofile(sys.argv[2])
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        fbank(samples, LIBRARIES[line.strip()])
        print(1000 * (time.perf_counter() - began), flush=True)
