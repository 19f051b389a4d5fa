"""Writes test/golden/features/*.json: features by their definitions, in NumPy and float64, whole matrices at a time.

Shares nothing with the sources; run it again only to add a case: python3 scripts/golden/features.py
"""
import json
import pathlib

import numpy as np

OUT = pathlib.Path(__file__).parents[2] / "test" / "golden" / "features"
RATE = 8000
EPS = 2.0**-23


def signal(count=1500):
    """Integers: a little noise, a tone that rises, an offset."""
    state, out = 12345, []
    for i in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(round(3000 * np.sin(0.02 * i + 0.0003 * i * i) + state / 2**31 * 2000 - 900))
    return np.array(out, dtype=np.float64)


# --- Kaldi

def kaldi_frames(x, length, shift, snip):
    if snip:
        count = 0 if len(x) < length else 1 + (len(x) - length) // shift
        index = np.arange(count)[:, None] * shift + np.arange(length)
    else:
        count = (len(x) + shift // 2) // shift
        index = np.arange(count)[:, None] * shift + shift // 2 - length // 2 + np.arange(length)
        index = np.where(index < 0, -index - 1, index)
        index = np.where(index >= len(x), 2 * len(x) - 1 - index, index)
    return x[index]


def kaldi_window(kind, n, blackman):
    t = 2 * np.pi * np.arange(n) / (n - 1)
    return {
        "povey": (0.5 - 0.5 * np.cos(t)) ** 0.85,
        "hamming": 0.54 - 0.46 * np.cos(t),
        "hanning": 0.5 - 0.5 * np.cos(t),
        "sine": np.sin(t / 2),
        "rectangular": np.ones(n),
        "blackman": blackman - 0.5 * np.cos(t) + (0.5 - blackman) * np.cos(2 * t),
    }[kind]


def mel(f):
    return 1127 * np.log(1 + f / 700)


def unmel(m):
    return 700 * (np.exp(m / 1127) - 1)


def warp(f, factor, low, high, vlow, vhigh):
    l, h = vlow * max(1, factor), vhigh * min(1, factor)
    xs = [low, l, h, high]
    ys = [low, l / factor, h / factor, high]
    return np.interp(f, xs, ys)


def kaldi_banks(bins, nfft, o):
    nyquist = RATE / 2
    low = o.get("lowFreq", 20)
    high = o.get("highFreq", 0)
    high = high if high > 0 else nyquist + high
    edges = np.linspace(mel(low), mel(high), bins + 2)
    factor = o.get("vtlnWarp", 1)
    if factor != 1:
        edges = mel(warp(unmel(edges), factor, low, high, o.get("vtlnLow", 100), nyquist + o.get("vtlnHigh", -500)))
    m = mel(np.arange(nfft // 2) * RATE / nfft)
    l, c, r = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    banks = np.maximum(0, np.minimum((m - l) / (c - l), (r - m) / (r - c)))
    if o.get("htkMode") and low != 0:
        banks[0, np.flatnonzero(banks[0])[0]] = 0
    return banks


def kaldi_mel(x, o):
    length = int(RATE * 0.001 * o.get("frameLength", 25))
    shift = int(RATE * 0.001 * o.get("frameShift", 10))
    f = kaldi_frames(x, length, shift, o.get("snipEdges", True))
    if o.get("removeDcOffset", True):
        f = f - f.mean(axis=1, keepdims=True)
    raw = (f**2).sum(axis=1)
    c = o.get("preemphasisCoefficient", 0.97)
    f = f - c * np.concatenate([f[:, :1], f[:, :-1]], axis=1)
    f = f * kaldi_window(o.get("windowType", "povey"), length, o.get("blackmanCoeff", 0.42))
    energy = raw if o.get("rawEnergy", True) else (f**2).sum(axis=1)
    energy = np.log(np.maximum(energy, max(EPS, o.get("energyFloor", 0))))
    nfft = 1 << (length - 1).bit_length() if o.get("roundToPowerOfTwo", True) else length
    spectrum = np.abs(np.fft.rfft(f, nfft))[:, : nfft // 2] ** (2 if o.get("usePower", True) else 1)
    out = spectrum @ kaldi_banks(o.get("numMelBins", 23), nfft, o).T
    return (np.maximum(out, 1) if o.get("htkMode") else out), energy


def demean(y, o):
    return y - y.mean(axis=0) if o.get("subtractMean") else y


def fbank(x, o):
    out, energy = kaldi_mel(x, o)
    if o.get("useLogFbank", True):
        out = np.log(np.maximum(out, EPS))
    if o.get("useEnergy", False):
        parts = [out, energy[:, None]] if o.get("htkCompat") else [energy[:, None], out]
        out = np.concatenate(parts, axis=1)
    return demean(out, o)


def dct(k, n):
    m = np.sqrt(2 / n) * np.cos(np.pi / n * np.outer(np.arange(k), np.arange(n) + 0.5))
    m[0] = np.sqrt(1 / n)
    return m


def mfcc(x, o):
    out, energy = kaldi_mel(x, o)
    bins, ceps, q = o.get("numMelBins", 23), o.get("numCeps", 13), o.get("cepstralLifter", 22)
    c = np.log(np.maximum(out, EPS)) @ dct(ceps, bins).T
    if q:
        c = c * (1 + 0.5 * q * np.sin(np.pi * np.arange(ceps) / q))
    if o.get("useEnergy", True):
        c[:, 0] = energy
    if o.get("htkCompat"):
        first = c[:, :1] * (1 if o.get("useEnergy", True) else np.sqrt(2))
        c = np.concatenate([c[:, 1:], first], axis=1)
    return demean(c, o)


# --- librosa, torchaudio, SpeechBrain

def stft_power(x, o, window, nfft, win, hop):
    if o.get("center", True):
        mode = {"constant": {"mode": "constant"}, "reflect": {"mode": "reflect"}}[o.get("padMode", "constant")]
        x = np.pad(x, nfft // 2, **mode)
    left = (nfft - win) // 2
    w = np.zeros(nfft)
    t = 2 * np.pi * np.arange(win) / win
    w[left : left + win] = {
        "hann": 0.5 - 0.5 * np.cos(t),
        "hamming": 0.54 - 0.46 * np.cos(t),
        "blackman": 0.42 - 0.5 * np.cos(t) + 0.08 * np.cos(2 * t),
        "rectangular": np.ones(win),
    }[window]
    count = 1 + (len(x) - nfft) // hop
    frames = x[np.arange(count)[:, None] * hop + np.arange(nfft)]
    return np.abs(np.fft.rfft(frames * w, axis=1)) ** o.get("power", 2)


def slaney(f):
    f = np.asarray(f, dtype=float)
    return np.where(f < 1000, 3 * f / 200, 15 + 27 * np.log(np.maximum(f, 1000) / 1000) / np.log(6.4))


def unslaney(m):
    return np.where(m < 15, 200 * m / 3, 1000 * np.exp(np.log(6.4) / 27 * (m - 15)))


def htk(f):
    return 2595 * np.log10(1 + np.asarray(f) / 700)


def unhtk(m):
    return 700 * (10 ** (m / 2595) - 1)


def mel_spectrogram(x, o):
    nfft = o.get("nFft", 2048)
    win = o.get("winLength", nfft)
    hop = o.get("hopLength", win // 4)
    power = stft_power(x / 32768, o, o.get("window", "hann"), nfft, win, hop)
    to, back = (htk, unhtk) if o.get("melScale") == "htk" else (slaney, unslaney)
    n = o.get("nMels", 128)
    p = back(np.linspace(to(o.get("fMin", 0)), to(o.get("fMax", RATE / 2)), n + 2))
    f = np.linspace(0, RATE / 2, nfft // 2 + 1) if nfft % 2 == 0 else np.arange(nfft // 2 + 1) * RATE / nfft
    l, c, r = p[:-2, None], p[1:-1, None], p[2:, None]
    banks = np.maximum(0, np.minimum((f - l) / (c - l), (r - f) / (r - c)))
    if o.get("norm", "slaney") == "slaney":
        banks = banks * 2 / (r - l)
    return power @ banks.T


def to_db(y, amin=1e-10, top=80, ref=1.0):
    d = 10 * np.log10(np.maximum(amin, y)) - 10 * np.log10(max(amin, ref))
    return d if top is None else np.maximum(d, d.max() - top)


def mel_mfcc(x, o):
    y = mel_spectrogram(x, o)
    y = np.log(y + 1e-6) if o.get("logMels") else to_db(y, o.get("amin", 1e-10), o.get("topDb", 80))
    n = o.get("nMfcc", 20)
    d = dct(n, y.shape[1])
    if o.get("dctNorm") == "none":
        d = 2 * np.cos(np.pi / y.shape[1] * np.outer(np.arange(n), np.arange(y.shape[1]) + 0.5))
    c = y @ d.T
    q = o.get("lifter", 0)
    return c * (1 + q / 2 * np.sin(np.pi * np.arange(1, n + 1) / q)) if q else c


def speechbrain(x, o):
    nfft = o.get("nFft", 400)
    win, hop = round(RATE / 1000 * o.get("winLength", 25)), round(RATE / 1000 * o.get("hopLength", 10))
    power = stft_power(x / 32768, {}, "hamming", nfft, win, hop)
    n = o.get("nMels", 40)
    hz = unhtk(np.linspace(htk(o.get("fMin", 0)), htk(o.get("fMax", RATE / 2)), n + 2))
    band = (hz[1:] - hz[:-1])[:-1]
    slope = (np.linspace(0, RATE // 2, nfft // 2 + 1)[None] - hz[1:-1, None]) / band[:, None]
    if o.get("filterShape") == "rectangular":
        banks = ((slope >= -1) & (slope <= 1)).astype(float)
    else:
        banks = np.maximum(0, np.minimum(slope + 1, 1 - slope))
    y = power @ banks.T
    return to_db(y, o.get("amin", 1e-10), o.get("topDb", 80)) if o.get("logMel", True) else y


# --- what comes after: on a small matrix

def matrix():
    i = np.arange(40)[:, None]
    j = np.arange(3)[None]
    return np.round(np.sin(0.7 * i + j) * (j + 1) + 0.05 * i * (j - 1) + 5 * (i > 25), 4)


def cmvn(y, o):
    z = y - y.mean(axis=0) if o.get("normMeans", True) else y
    return z / y.std(axis=0, ddof=1 if o.get("unbiased") else 0) if o.get("normVars") else z


def sliding(y, o):
    window, least, center = o.get("cmnWindow", 600), o.get("minCmnWindow", 100), o.get("center", False)
    out = np.zeros_like(y)
    for t in range(len(y)):
        a = t - window // 2 if center else t - window
        b = a + window if center else t + 1
        if a < 0:
            a, b = 0, b - a
        if not center and b > t:
            b = max(t + 1, least)
        if b > len(y):
            a, b = max(0, a - (b - len(y))), len(y)
        part = y[a:b]
        out[t] = y[t] - part.mean(axis=0)
        if o.get("normVars"):
            out[t] = out[t] / np.sqrt(np.maximum(1e-10, part.var(axis=0))) if b - a > 1 else 0
    return out


def deltas(y, o):
    order, window = o.get("deltaOrder", 2), o.get("deltaWindow", 2)
    slope = np.arange(-window, window + 1) / (np.arange(-window, window + 1) ** 2).sum()
    kernel, out = np.array([1.0]), []
    for _ in range(order + 1):
        reach = len(kernel) // 2
        padded = np.concatenate([y[:1]] * reach + [y] + [y[-1:]] * reach) if reach else y
        out.append(sum(kernel[k] * padded[k : k + len(y)] for k in range(len(kernel))))
        kernel = np.convolve(kernel, slope)
    return np.concatenate(out, axis=1)


def energy_vad(y, o):
    e = y[:, 0]
    threshold = o.get("vadEnergyThreshold", 5) + o.get("vadEnergyMeanScale", 0.5) * e.mean()
    context = o.get("vadFramesContext", 0)
    parts = [e[max(0, t - context) : t + context + 1] > threshold for t in range(len(e))]
    return np.array([[float(p.sum() >= len(p) * o.get("vadProportionThreshold", 0.6))] for p in parts])


SMALL = {"numMelBins": 12}
CASES = {
    "fbank": (fbank, [
        {**SMALL}, {**SMALL, "windowType": "hamming", "preemphasisCoefficient": 0, "removeDcOffset": False},
        {**SMALL, "windowType": "hanning", "usePower": False}, {**SMALL, "windowType": "rectangular", "useLogFbank": False},
        {**SMALL, "windowType": "blackman", "blackmanCoeff": 0.4}, {**SMALL, "windowType": "sine"},
        {**SMALL, "roundToPowerOfTwo": False}, {**SMALL, "snipEdges": False, "frameLength": 32, "frameShift": 12.5},
        {**SMALL, "useEnergy": True, "rawEnergy": False}, {**SMALL, "useEnergy": True, "htkCompat": True, "energyFloor": 1e10},
        {**SMALL, "lowFreq": 100, "highFreq": -200, "subtractMean": True}, {**SMALL, "htkMode": True},
        {**SMALL, "vtlnWarp": 0.85}, {**SMALL, "vtlnWarp": 1.2, "vtlnLow": 60, "vtlnHigh": -300},
        {**SMALL, "roundToPowerOfTwo": False, "frameLength": 23.9},
    ]),
    "mfcc": (mfcc, [
        {}, {"numCeps": 7, "numMelBins": 15, "cepstralLifter": 0, "useEnergy": False},
        {"htkCompat": True, "useEnergy": False, "numCeps": 8}, {"htkCompat": True, "rawEnergy": False, "subtractMean": True},
        {"snipEdges": False, "windowType": "hamming", "highFreq": 3700},
    ]),
    "melSpectrogram": (mel_spectrogram, [
        {"nFft": 256, "nMels": 10}, {"nFft": 200, "hopLength": 80, "nMels": 10, "melScale": "htk", "norm": "none", "padMode": "reflect"},
        {"nFft": 256, "winLength": 200, "hopLength": 100, "nMels": 10, "center": False, "window": "hamming"},
        {"nFft": 250, "nMels": 8, "power": 1, "fMin": 50, "fMax": 3500, "window": "blackman"},
        {"nFft": 251, "nMels": 8, "window": "rectangular", "hopLength": 90}, {"nFft": 254, "nMels": 8, "padMode": "reflect"},
    ]),
    "melMfcc": (mel_mfcc, [
        {"nFft": 256, "nMels": 24, "nMfcc": 10}, {"nFft": 200, "nMels": 24, "nMfcc": 10, "lifter": 22, "topDb": 20},
        {"nFft": 256, "nMels": 24, "nMfcc": 10, "logMels": True, "melScale": "htk", "norm": "none"},
        {"nFft": 256, "nMels": 24, "nMfcc": 10, "dctNorm": "none", "topDb": None},
    ]),
    "speechbrainFbank": (speechbrain, [
        {"nFft": 200, "nMels": 15}, {"nFft": 400, "nMels": 10, "filterShape": "rectangular", "topDb": 30},
        {"nFft": 256, "nMels": 10, "logMel": False, "fMin": 100, "fMax": 3000},
    ]),
    "cmvn": (cmvn, [{}, {"normVars": True}, {"normVars": True, "unbiased": True}]),
    "slidingCmvn": (sliding, [
        {}, {"cmnWindow": 9, "minCmnWindow": 4}, {"cmnWindow": 10, "center": True, "normVars": True},
        {"cmnWindow": 7, "minCmnWindow": 1, "normVars": True},
    ]),
    "addDeltas": (deltas, [{}, {"deltaOrder": 1, "deltaWindow": 3}, {"deltaOrder": 3, "deltaWindow": 1}]),
    "energyVad": (energy_vad, [
        {"vadEnergyThreshold": 0}, {"vadEnergyThreshold": 1, "vadEnergyMeanScale": 0, "vadFramesContext": 2},
        {"vadEnergyThreshold": 0.5, "vadFramesContext": 5, "vadProportionThreshold": 0.3},
    ]),
}
OF_SAMPLES = {"fbank", "mfcc", "melSpectrogram", "melMfcc", "speechbrainFbank"}

if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    x, y = signal(), matrix()
    (OUT / "input.json").write_text(json.dumps({"rate": RATE, "samples": x.astype(int).tolist(), "matrix": y.tolist()}) + "\n")
    for name, (function, options) in CASES.items():
        cases = []
        for o in options:
            out = function(x if name in OF_SAMPLES else y, o)
            values = [float(f"{v:.8g}") for v in out.ravel()]
            cases.append({"options": o, "rows": out.shape[0], "columns": out.shape[1], "values": values})
        text = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        (OUT / f"{name}.json").write_text(f"[{text}]\n")
