# Makes a checkpoint of SpeechBrain's ResNet with random weights, and what PyTorch computes with it for padded features, in
# float32 (embs.npy) and in float64 (exact.npy). Written for the tests; the layers have SpeechBrain's names.
# Usage: speechbrain_resnet.py FOLDER SETTINGS, where feats.npy and lens.npy are in FOLDER and SETTINGS are JSON
import json
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from random_norms import randomise_norms

folder, settings = sys.argv[1], json.loads(sys.argv[2])
channels, sizes, strides = settings["channels"], settings["block_sizes"], settings["strides"]
mels, outputs = settings["input_size"], settings["lin_neurons"]


def convolution(inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class Squeeze(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size), nn.Sigmoid())

    def forward(self, x):
        return x * self.fc(x.mean((2, 3)))[:, :, None, None]


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride, has_squeeze):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), convolution(inputs, outputs, 3, stride)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), convolution(outputs, outputs, 3)
        self.bn3, self.conv3 = nn.BatchNorm2d(outputs), convolution(outputs, outputs, 1)
        self.se = Squeeze(outputs) if has_squeeze else nn.Identity()
        is_same = stride == 1 and inputs == outputs
        parts = [] if is_same else [convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)]
        self.downsample = nn.Sequential(*parts)

    def forward(self, x):
        y = self.conv1(F.relu(self.bn1(x)))
        y = self.conv2(F.relu(self.bn2(y)))
        return self.se(self.conv3(F.relu(self.bn3(y)))) + self.downsample(x)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = convolution(1, channels[0], 3), nn.BatchNorm2d(channels[0])
        inputs = channels[0]
        for at in range(4):
            blocks = []
            for block in range(sizes[at]):
                blocks.append(Block(inputs, channels[at], strides[at] if block == 0 else 1, at < 2))
                inputs = channels[at]
            self.add_module(f"layer{at + 1}", nn.Sequential(*blocks))
        width = channels[3] * math.ceil(mels / math.prod(strides))
        self.attention = nn.Sequential(
            nn.Conv1d(width, 128, 1), nn.ReLU(), nn.BatchNorm1d(128), nn.Conv1d(128, width, 1), nn.Softmax(2)
        )
        self.norm_stats = nn.BatchNorm1d(2 * width)
        self.fc_embed, self.norm_embed = nn.Linear(2 * width, outputs), nn.BatchNorm1d(outputs)

    def forward(self, feats):
        x = F.relu(self.bn1(self.conv1(feats[:, None])))
        for at in range(4):
            x = getattr(self, f"layer{at + 1}")(x)
        x = x.transpose(2, 3).flatten(1, 2)
        weights = self.attention(x)
        mean = (x * weights).sum(2)
        deviation = ((x**2 * weights).sum(2) - mean**2).clamp(min=1e-5).sqrt()
        return self.norm_embed(self.fc_embed(self.norm_stats(torch.cat([mean, deviation], 1))))


def normalised(feats, lens):
    mask = (torch.arange(feats.shape[1]) < lens[:, None] * feats.shape[1] - 1e-6)[..., None].to(feats.dtype)
    return feats - (feats * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True)


torch.manual_seed(settings.get("seed", 7))
torch.set_num_threads(1)
model = randomise_norms(ResNet().eval())
torch.save(model.state_dict(), f"{folder}/embedding_model.ckpt")
feats, lens = (torch.from_numpy(np.load(f"{folder}/{name}.npy")) for name in ("feats", "lens"))
with torch.no_grad():
    np.save(f"{folder}/embs.npy", model(normalised(feats, lens)).numpy())
    model.double()
    np.save(f"{folder}/exact.npy", model(normalised(feats.double(), lens)).numpy())
