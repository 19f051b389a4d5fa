# Makes a checkpoint of SpeechBrain's ECAPA-TDNN or x-vector with unusual settings and random weights, and what PyTorch
# computes with it for padded features. Written for the tests; the layers have SpeechBrain's names.
# Usage: speechbrain_models.py MODEL FOLDER, where feats.npy and lens.npy are in FOLDER; MODEL is xvector, or the context of
# an ECAPA-TDNN: global, local, or even for kernels that take a frame away
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from random_norms import randomise_norms

channels, kernels, dilations, groups = [24, 32, 32, 32, 48], [3, 5, 3, 1, 3], [2, 1, 3, 1, 1], [2, 1, 4, 2, 3]
if sys.argv[1] == "even":
    kernels, dilations = [4, 5, 3, 1, 2], [1, 1, 3, 1, 1]
scale, squeezed, attention, outputs, mels = 4, 6, 10, 12, 20


def inner(name, module):
    outer = nn.Module()
    outer.add_module(name, module)
    return outer


class Tdnn(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, dilation=1, groups=1, activation=F.relu):
        super().__init__()
        self.conv = inner("conv", nn.Conv1d(inputs, outputs, kernel, dilation=dilation, groups=groups))
        self.norm = inner("norm", nn.BatchNorm1d(outputs))
        self.size, self.activation = dilation * (kernel - 1) // 2, activation

    def forward(self, x):
        if self.size > 0:
            x = F.pad(x, (self.size, self.size), mode="reflect")
        return self.norm.norm(self.activation(self.conv.conv(x)))


def leaky(x):
    return F.leaky_relu(x, 0.2)


class Block(nn.Module):
    def __init__(self, at):
        super().__init__()
        inputs, size, width = channels[at - 1], channels[at], channels[at] // scale
        self.tdnn1 = Tdnn(inputs, size, groups=groups[at], activation=leaky)
        self.tdnn2 = Tdnn(size, size, groups=groups[at], activation=leaky)
        self.res2net_block = inner(
            "blocks", nn.ModuleList(Tdnn(width, width, kernels[at], dilations[at]) for _ in range(scale - 1))
        )
        self.se_block = nn.Module()
        self.se_block.conv1 = inner("conv", nn.Conv1d(size, squeezed, 1))
        self.se_block.conv2 = inner("conv", nn.Conv1d(squeezed, size, 1))
        if inputs != size:
            self.shortcut = inner("conv", nn.Conv1d(inputs, size, 1))

    def forward(self, x, mask):
        parts = self.tdnn1(x).chunk(scale, 1)
        results = [parts[0]]
        for at, part in enumerate(parts[1:]):
            results.append(self.res2net_block.blocks[at](part if at == 0 else part + results[-1]))
        y = self.tdnn2(torch.cat(results, 1))
        mean = (y * mask).sum(2, keepdim=True) / mask.sum(2, keepdim=True)
        weights = torch.sigmoid(self.se_block.conv2.conv(F.relu(self.se_block.conv1.conv(mean))))
        return y * weights + (self.shortcut.conv(x) if hasattr(self, "shortcut") else x)


class Ecapa(nn.Module):
    def __init__(self, is_global):
        super().__init__()
        self.is_global, last = is_global, channels[-1]
        first = Tdnn(3 * mels, channels[0], kernels[0], dilations[0], groups[0], leaky)
        self.blocks = nn.ModuleList([first, *(Block(at) for at in (1, 2, 3))])
        self.mfa = Tdnn(sum(channels[1:4]), last, kernels[4], dilations[4], groups[4], leaky)
        self.asp = nn.Module()
        self.asp.tdnn = Tdnn(3 * last if is_global else last, attention)
        self.asp.conv = inner("conv", nn.Conv1d(attention, last, 1))
        self.asp_bn = inner("norm", nn.BatchNorm1d(2 * last))
        self.fc = inner("conv", nn.Conv1d(2 * last, outputs, 1))

    def forward(self, feats, lens):
        def mask_of(frames):
            return (torch.arange(frames.shape[2]) < lens[:, None] * frames.shape[2])[:, None].float()

        x = self.blocks[0](feats.transpose(1, 2))
        mask = mask_of(x)
        kept = []
        for block in self.blocks[1:]:
            x = block(x, mask)
            kept.append(x)
        x = self.mfa(torch.cat(kept, 1))
        mask = mask_of(x)

        def statistics(weights):
            mean = (weights * x).sum(2, keepdim=True)
            return mean, (weights * (x - mean) ** 2).sum(2, keepdim=True).clamp(1e-12).sqrt()

        context = [x]
        if self.is_global:
            context += [one.expand_as(x) for one in statistics(mask / mask.sum(2, keepdim=True))]
        scores = self.asp.conv.conv(torch.tanh(self.asp.tdnn(torch.cat(context, 1))))
        weights = scores.masked_fill(mask == 0, -torch.inf).softmax(2)
        return self.fc.conv(self.asp_bn.norm(torch.cat(statistics(weights), 1)))[:, :, 0]


class Xvector(nn.Module):
    """Three layers; SpeechBrain adds noise to the mean, of which this is the average."""

    sizes, kernels, dilations = [3 * mels, 16, 24, 40], [3, 5, 1], [2, 1, 1]

    def __init__(self):
        super().__init__()
        layers = []
        for inputs, outputs_, kernel, dilation in zip(self.sizes, self.sizes[1:], self.kernels, self.dilations):
            layers += [inner("conv", nn.Conv1d(inputs, outputs_, kernel, dilation=dilation)), nn.LeakyReLU(0.2)]
            layers.append(inner("norm", nn.BatchNorm1d(outputs_)))
        last = inner("w", nn.Linear(2 * self.sizes[-1], outputs))
        self.blocks = nn.ModuleList([*layers, nn.Identity(), last])

    def forward(self, feats, lens):
        x = feats.transpose(1, 2)
        for at, (kernel, dilation) in enumerate(zip(self.kernels, self.dilations)):
            size = dilation * (kernel - 1) // 2
            padded = F.pad(x, (size, size), mode="reflect") if size > 0 else x
            x = self.blocks[3 * at + 2].norm(self.blocks[3 * at + 1](self.blocks[3 * at].conv(padded)))
        parts = [row[:, : int(torch.round(share * x.shape[2]))] for row, share in zip(x, lens)]
        pooled = [torch.cat([part.mean(1) + 5e-5, part.std(1) + 1e-5]) for part in parts]
        return self.blocks[-1].w(torch.stack(pooled))


def slopes(x):
    padded = F.pad(x.transpose(1, 2), (2, 2), mode="replicate").transpose(1, 2)
    frames = x.shape[1]
    return sum((at - 2) * padded[:, at : at + frames] for at in range(5)) / 10


def normalised(feats, lens):
    mask = (torch.arange(feats.shape[1]) < lens[:, None] * feats.shape[1] - 1e-6)[..., None].float()
    count = mask.sum(1, keepdim=True)
    mean = (feats * mask).sum(1, keepdim=True) / count
    deviation = (((feats - mean) * mask) ** 2).sum(1, keepdim=True).div(count).sqrt()
    return (feats - mean) / deviation.clamp(min=1e-10)


name, folder = sys.argv[1:]
torch.manual_seed(5)
torch.set_num_threads(1)
model = randomise_norms((Xvector() if name == "xvector" else Ecapa(name != "local")).eval())
torch.save(model.state_dict(), f"{folder}/embedding_model.ckpt")
feats, lens = (torch.from_numpy(np.load(f"{folder}/{name}.npy")) for name in ("feats", "lens"))
first = slopes(feats)
with torch.no_grad():
    np.save(f"{folder}/embs.npy", model(normalised(torch.cat([feats, first, slopes(first)], 2), lens), lens).numpy())
