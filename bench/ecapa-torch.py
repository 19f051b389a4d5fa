# SpeechBrain's full-size ECAPA-TDNN in PyTorch, on one core: saves its weights, then answers each line with the
# milliseconds that one utterance takes. Written for the benchmark; the layers have SpeechBrain's names.
# Usage: ecapa-torch.py CHECKPOINT FEATURES VECTOR FRAMES
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(1)


def inner(name, module):
    outer = nn.Module()
    outer.add_module(name, module)
    return outer


class Tdnn(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, dilation=1):
        super().__init__()
        self.conv = inner("conv", nn.Conv1d(inputs, outputs, kernel, dilation=dilation))
        self.norm = inner("norm", nn.BatchNorm1d(outputs))
        self.size = dilation * (kernel - 1) // 2

    def forward(self, x):
        if self.size > 0:
            x = F.pad(x, (self.size, self.size), mode="reflect")
        return self.norm.norm(F.relu(self.conv.conv(x)))


class Block(nn.Module):
    def __init__(self, size, dilation, scale=8):
        super().__init__()
        self.tdnn1, self.tdnn2 = Tdnn(size, size), Tdnn(size, size)
        self.res2net_block = inner(
            "blocks", nn.ModuleList(Tdnn(size // scale, size // scale, 3, dilation) for _ in range(scale - 1))
        )
        self.se_block = nn.Module()
        self.se_block.conv1 = inner("conv", nn.Conv1d(size, 128, 1))
        self.se_block.conv2 = inner("conv", nn.Conv1d(128, size, 1))

    def forward(self, x):
        parts = self.tdnn1(x).chunk(8, 1)
        results = [parts[0]]
        for at, part in enumerate(parts[1:]):
            results.append(self.res2net_block.blocks[at](part if at == 0 else part + results[-1]))
        y = self.tdnn2(torch.cat(results, 1))
        scale = self.se_block.conv2.conv(F.relu(self.se_block.conv1.conv(y.mean(2, keepdim=True))))
        return y * torch.sigmoid(scale) + x


class Ecapa(nn.Module):
    def __init__(self, size=1024, last=3072, outputs=192):
        super().__init__()
        self.blocks = nn.ModuleList([Tdnn(80, size, 5), Block(size, 2), Block(size, 3), Block(size, 4)])
        self.mfa = Tdnn(3 * size, last)
        self.asp = nn.Module()
        self.asp.tdnn, self.asp.conv = Tdnn(3 * last, 128), inner("conv", nn.Conv1d(128, last, 1))
        self.asp_bn = inner("norm", nn.BatchNorm1d(2 * last))
        self.fc = inner("conv", nn.Conv1d(2 * last, outputs, 1))

    def forward(self, feats):
        x = self.blocks[0]((feats - feats.mean(1, keepdim=True)).transpose(1, 2))
        kept = []
        for block in self.blocks[1:]:
            x = block(x)
            kept.append(x)
        x = self.mfa(torch.cat(kept, 1))

        def statistics(weights):
            mean = (weights * x).sum(2, keepdim=True)
            return mean, (weights * (x - mean) ** 2).sum(2, keepdim=True).clamp(1e-12).sqrt()

        mean, deviation = statistics(torch.full_like(x[:, :1], 1 / x.shape[2]))
        context = torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1)
        weights = self.asp.conv.conv(torch.tanh(self.asp.tdnn(context))).softmax(2)
        return self.fc.conv(self.asp_bn.norm(torch.cat(statistics(weights), 1)))[:, :, 0]


checkpoint, features, vector, frames = sys.argv[1:]
model = Ecapa().eval()
torch.save(model.state_dict(), checkpoint)
feats = torch.from_numpy(np.fromfile(features, dtype=np.float32).reshape(1, int(frames), 80))
with torch.no_grad():
    model(feats).numpy().tofile(vector)
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        model(feats)
        print(1000 * (time.perf_counter() - began), flush=True)
