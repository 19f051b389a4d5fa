# Makes checkpoints of ESPnet-SPK and RawNet with random weights, in the layout of their toolkits, and what PyTorch
# computes with them. Written for the tests; the layers have the names that the toolkits give them.
# Usage: espnet_models.py NAME FOLDER, where wave.npy is in FOLDER
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from random_norms import randomise_norms


class Res2(nn.Module):
    """Groups of channels that are convolved one after the other, between two convolutions of kernel 1."""

    def __init__(self, inputs, size, dilation, scale):
        super().__init__()
        self.width = size // scale
        self.conv1 = nn.Conv1d(inputs, self.width * scale, 1)
        self.bn1 = nn.BatchNorm1d(self.width * scale)
        self.conv3 = nn.Conv1d(self.width * scale, size, 1)
        self.bn3 = nn.BatchNorm1d(size)
        self.fill(scale - 1, dilation)

    def fill(self, count, dilation):
        self.convs = nn.ModuleList(
            nn.Conv1d(self.width, self.width, 3, dilation=dilation, padding=dilation) for _ in range(count)
        )
        self.bns = nn.ModuleList(nn.BatchNorm1d(self.width) for _ in range(count))

    def group(self, at, x):
        return self.bns[at](F.relu(self.convs[at](x)))

    def inner(self, x):
        parts = torch.split(self.bn1(F.relu(self.conv1(x))), self.width, 1)
        results = []
        for at, part in enumerate(parts[:-1]):
            results.append(self.group(at, part if at == 0 else results[-1] + part))
        return self.bn3(F.relu(self.conv3(torch.cat([*results, parts[-1]], 1))))


class Squeeze(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.se = nn.Sequential(
            nn.AdaptiveAvgPool1d(1), nn.Conv1d(size, 128, 1), nn.ReLU(), nn.BatchNorm1d(128), nn.Conv1d(128, size, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return x * self.se(x)


class EcapaLayer(Res2):
    def __init__(self, size, dilation, scale):
        super().__init__(size, size, dilation, scale)
        self.se = Squeeze(size)

    def forward(self, x):
        return self.se(self.inner(x)) + x


class Select(nn.Module):
    """Weights of branches, for each entry of one axis."""

    def __init__(self, size, reduction, axis):
        super().__init__()
        hidden = max(16, size // reduction)
        self.axis = axis
        self.fc = nn.Linear(size, hidden)
        self.fcs = nn.ModuleList(nn.Linear(hidden, size) for _ in range(2))

    def mix(self, branches):
        others = [axis for axis in range(1, branches[0].dim()) if axis != self.axis]
        hidden = F.relu(self.fc(sum(branches).mean(others)))
        shape = [len(branches[0])] + [1 if axis in others else -1 for axis in range(1, branches[0].dim())]
        weights = torch.stack([fc(hidden).view(shape) for fc in self.fcs]).softmax(0)
        return (weights * torch.stack(branches)).sum(0)


def branch(conv, norm):
    layers = nn.Sequential()
    layers.add_module("conv", conv)
    layers.add_module("relu", nn.ReLU())
    layers.add_module("bn", norm)
    return layers


class SkaLayer(EcapaLayer):
    def fill(self, count, dilation):
        self.skconvs = nn.ModuleList(
            nn.ModuleList(
                branch(
                    nn.Conv1d(self.width, self.width, k, dilation=dilation, padding=k // 2 * dilation),
                    nn.BatchNorm1d(self.width),
                )
                for k in (5, 7)
            )
            for _ in range(count)
        )
        self.skse = Select(self.width, 4, 1)

    def group(self, at, x):
        return self.skse.mix([conv(x) for conv in self.skconvs[at]])


class SelectPlane(Select):
    def __init__(self, size, planes, axis):
        super().__init__(size, 8, axis)
        self.convs = nn.ModuleList(
            branch(nn.Conv2d(planes, planes, k, padding=k // 2), nn.BatchNorm2d(planes)) for k in (5, 7)
        )

    def forward(self, x):
        return self.mix([conv(x) for conv in self.convs])


class SkaBlock(nn.Module):
    def __init__(self, planes, bands):
        super().__init__()
        self.conv1 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.skfwse = SelectPlane(bands, planes, 2)
        self.skcwse = SelectPlane(planes, planes, 1)

    def forward(self, x):
        return F.relu(self.skcwse(self.skfwse(self.bn1(F.relu(self.conv1(x))))) + x)


class Ecapa(nn.Module):
    def __init__(self, inputs, size, outputs, layer=EcapaLayer):
        super().__init__()
        self.front(inputs, size)
        self.layer1, self.layer2, self.layer3 = (layer(size, dilation, 4) for dilation in (2, 3, 4))
        self.layer4 = nn.Conv1d(3 * size, outputs, 1)

    def front(self, inputs, size):
        self.conv = nn.Conv1d(inputs, size, 5, padding=2)
        self.bn = nn.BatchNorm1d(size)

    def begin(self, x):
        return self.bn(F.relu(self.conv(x)))

    def forward(self, x):
        x = self.begin(x)
        first = self.layer1(x)
        second = self.layer2(x + first)
        third = self.layer3(x + first + second)
        return F.relu(self.layer4(torch.cat([first, second, third], 1)))


class Ska(Ecapa):
    def __init__(self, inputs, size, outputs):
        super().__init__(inputs, size, outputs, SkaLayer)

    def front(self, inputs, size):
        planes = 8
        self.frt_conv1 = nn.Conv2d(1, planes, 3, (2, 1), 1)
        self.frt_bn1 = nn.BatchNorm2d(planes)
        self.frt_block1, self.frt_block2 = SkaBlock(planes, inputs // 2), SkaBlock(planes, inputs // 2)
        self.frt_conv2 = nn.Conv2d(planes, planes, 3, (2, 2), 1)
        self.frt_bn2 = nn.BatchNorm2d(planes)
        self.conv1 = nn.Conv1d(planes * inputs // 4, size, 5, padding=2)
        self.bn1 = nn.BatchNorm1d(size)

    def begin(self, x):
        x = self.frt_bn1(F.relu(self.frt_conv1(x.unsqueeze(1))))
        x = self.frt_block2(self.frt_block1(x))
        x = self.frt_bn2(F.relu(self.frt_conv2(x))).flatten(1, 2)
        return self.bn1(F.relu(self.conv1(x)))


class Xvector(nn.Module):
    def __init__(self, inputs, size, outputs, paddings=(2, 1, 1, 0, 0)):
        super().__init__()
        sizes = [inputs, size, size, size, size, outputs]
        layers = []
        for at, (kernel, padding, dilation) in enumerate(zip([5, 3, 3, 1, 1], paddings, [1, 2, 3, 1, 1])):
            layers += [
                nn.Conv1d(sizes[at], sizes[at + 1], kernel, dilation=dilation, padding=padding), nn.ReLU(),
                nn.BatchNorm1d(sizes[at + 1]),
            ]
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class MelSpectrogram(nn.Module):
    """Window and filters under torchaudio's names."""

    def __init__(self, mels, window=400, fft=512, hop=160, plain=False):
        super().__init__()
        self.fft, self.hop, self.plain = fft, hop, plain
        if not plain:
            self.register_buffer("flipped_filter", torch.tensor([[[-0.97, 1.0]]]))
        self.transform = nn.Module()
        self.transform.spectrogram = nn.Module()
        self.transform.spectrogram.register_buffer("window", torch.hamming_window(window))
        self.transform.mel_scale = nn.Module()
        points = torch.linspace(0, 2595 * math.log10(1 + 7600 / 700), mels + 2) * 0.9 + 50
        hertz = 700 * (10 ** (points / 2595) - 1)
        bins = torch.linspace(0, 8000, fft // 2 + 1)[:, None]
        up = (bins - hertz[:-2]) / (hertz[1:-1] - hertz[:-2])
        down = (hertz[2:] - bins) / (hertz[2:] - hertz[1:-1])
        self.transform.mel_scale.register_buffer("fb", torch.minimum(up, down).clamp(min=0))

    def forward(self, wave):
        x = wave if self.plain else F.conv1d(F.pad(wave[:, None], (1, 0), "reflect"), self.flipped_filter)[:, 0]
        window = self.transform.spectrogram.window
        spectrum = torch.stft(x, self.fft, self.hop, len(window), window, pad_mode="reflect", return_complex=True)
        mel = ((spectrum.abs() ** 2).transpose(1, 2) @ self.transform.mel_scale.fb).transpose(1, 2)
        if self.plain:
            return mel
        x = torch.log(mel + 1e-6)
        return x - x.mean(-1, keepdim=True)


class Attention(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.attention = nn.Sequential(
            nn.Conv1d(3 * size, hidden, 1), nn.ReLU(), nn.BatchNorm1d(hidden), nn.Conv1d(hidden, size, 1),
        )

    def forward(self, x, count):
        mean = x.sum(-1, keepdim=True) / count
        variance = (x**2).sum(-1, keepdim=True) / count - mean**2
        return self.pool(x, mean, variance.clamp(torch.finfo(x.dtype).eps, 1e4).sqrt())

    def pool(self, x, mean, deviation):
        weights = self.attention(torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], 1)).softmax(2)
        centre = (x * weights).sum(2)
        return torch.cat([centre, ((x**2 * weights).sum(2) - centre**2).clamp(1e-4, 1e4).sqrt()], 1)


class Stats(nn.Module):
    def forward(self, x, count):
        mean = x.sum(-1) / count
        variance = ((x - mean[..., None]) ** 2).sum(-1) / count
        return torch.cat([mean, variance.clamp(torch.finfo(x.dtype).eps, 1e4).sqrt()], 1)


class Mean(nn.Module):
    def forward(self, x, count):
        return x.sum(-1) / count


class Projector(nn.Module):
    def __init__(self, inputs, outputs, last):
        super().__init__()
        self.bn, self.fc = nn.BatchNorm1d(inputs), nn.Linear(inputs, outputs)
        if last:
            self.bn2 = nn.BatchNorm1d(outputs)

    def forward(self, x):
        x = self.fc(self.bn(x))
        return self.bn2(x) if hasattr(self, "bn2") else x


class TwoLayers(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(inputs, outputs), nn.Linear(outputs, outputs)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Speaker(nn.Module):
    def __init__(self, encoder, pooling, projector, frontend=None):
        super().__init__()
        self.frontend = frontend or MelSpectrogram(80)
        self.encoder, self.pooling, self.projector = encoder, pooling, projector

    def forward(self, wave):
        feats = self.frontend(wave)
        if self.frontend.plain:
            # UtteranceMVN with norm_vars.
            feats = feats - feats.mean(-1, keepdim=True)
            feats = feats / (feats**2).mean(-1, keepdim=True).sqrt()
        count = feats.shape[-1]
        # More frames than those of the front end are not used.
        return self.projector(self.pooling(self.encoder(feats)[..., :count], count))


class ScaleMap(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(size, 1))
        self.fc = nn.Linear(size, size)

    def forward(self, x):
        return (x + self.alpha) * torch.sigmoid(self.fc(x.mean(-1)))[..., None]


class RawLayer(Res2):
    def __init__(self, inputs, size, dilation, pool):
        super().__init__(inputs, size, dilation, 8)
        self.afms = ScaleMap(size)
        self.pool = pool
        self.residual = nn.Sequential(nn.Conv1d(inputs, size, 1, bias=False)) if inputs != size else nn.Identity()

    def forward(self, x):
        x = self.inner(x) + self.residual(x)
        return self.afms(F.max_pool1d(x, self.pool) if self.pool else x)


class Sinc(nn.Module):
    def __init__(self, count, stride):
        super().__init__()
        self.stride = stride
        self.filterbank = nn.Module()
        edges = torch.linspace(30, 7000, count // 2 + 1)
        self.filterbank.low_hz_ = nn.Parameter(edges[:-1, None].clone())
        self.filterbank.band_hz_ = nn.Parameter(edges.diff()[:, None].clone())
        self.filterbank.register_buffer("window_", torch.from_numpy(np.hamming(251)[:125]).float())
        self.filterbank.register_buffer("n_", 2 * np.pi * (torch.arange(-125, 0.0).view(1, -1) / 16000))

    def forward(self, x):
        bank = self.filterbank
        low = 50 + bank.low_hz_.abs()
        high = (low + 50 + bank.band_hz_.abs()).clamp(50, 8000)
        from_, to, band = low @ bank.n_, high @ bank.n_, high - low
        even = (torch.sin(to) - torch.sin(from_)) / (bank.n_ / 2) * bank.window_
        odd = (torch.cos(from_) - torch.cos(to)) / (bank.n_ / 2) * bank.window_
        cosines = torch.cat([even, 2 * band, even.flip(1)], 1) / (2 * band)
        sines = torch.cat([odd, 0 * band, -odd.flip(1)], 1) / (2 * band)
        return F.conv1d(x, torch.cat([cosines, sines])[:, None], stride=self.stride)


class RawNet3(Attention):
    """The model of RawNet's own repository."""

    def __init__(self, size=64, outputs=32):
        super().__init__(1536, 128)
        emphasis = nn.Module()
        emphasis.register_buffer("flipped_filter", torch.tensor([[[-0.97, 1.0]]]))
        self.preprocess = nn.ModuleList([emphasis, nn.InstanceNorm1d(1, eps=1e-4, affine=True)])
        self.conv1, self.bn1 = Sinc(size // 4, 10), nn.BatchNorm1d(size // 4)
        self.layer1 = RawLayer(size // 4, size, 2, 5)
        self.layer2 = RawLayer(size, size, 3, 3)
        self.layer3 = RawLayer(size, size, 4, 0)
        self.layer4 = nn.Conv1d(3 * size, 1536, 1)
        self.bn5, self.fc6, self.bn6 = nn.BatchNorm1d(3072), nn.Linear(3072, outputs), nn.BatchNorm1d(outputs)

    def forward(self, wave):
        x = F.conv1d(F.pad(wave[:, None], (1, 0), "reflect"), self.preprocess[0].flipped_filter)
        x = torch.log(self.conv1(self.preprocess[1](x)).abs() + 1e-6)
        x = x - x.mean(-1, keepdim=True)
        first = self.layer1(x)
        second, shorter = self.layer2(first), F.max_pool1d(first, 3)
        third = self.layer3(shorter + second)
        x = F.relu(self.layer4(torch.cat([shorter, second, third], 1)))
        deviation = x.var(2, keepdim=True).clamp(1e-4, 1e4).sqrt()
        return self.fc6(self.bn5(self.pool(x, x.mean(2, keepdim=True), deviation)))


makers = {
    "ecapa_tdnn": lambda: Speaker(Ecapa(80, 32, 48), Attention(48, 128), Projector(96, 24, False)),
    "ska_tdnn": lambda: Speaker(Ska(80, 32, 48), Attention(48, 128), Projector(96, 24, True)),
    "xvector": lambda: Speaker(Xvector(80, 32, 48), Stats(), TwoLayers(96, 24)),
    "long": lambda: Speaker(Xvector(80, 32, 48, (4, 4, 4, 2, 2)), Stats(), TwoLayers(96, 24)),
    "mean": lambda: Speaker(Xvector(80, 32, 48), Mean(), TwoLayers(48, 24)),
    "plain": lambda: Speaker(
        Ecapa(40, 32, 48), Stats(), Projector(96, 24, True), MelSpectrogram(40, window=320, fft=400, hop=128, plain=True)
    ),
    "rawnet": RawNet3,
}

name, folder = sys.argv[1:]
torch.manual_seed(7)
torch.set_num_threads(1)
model = randomise_norms(makers[name]().eval())
state = model.state_dict()
torch.save({"model": state} if name == "rawnet" else state, f"{folder}/model.pth")
with torch.no_grad():
    np.save(f"{folder}/embs.npy", model(torch.from_numpy(np.load(f"{folder}/wave.npy"))).numpy())
