// The smallest x-vector of SpeechBrain: its configuration, and weights that fit it.
import { type NdArray, ndArray } from "../../../src/formats/nd-array.ts";

export const hyperparams = `
n_mels: 8
width: 4
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.Xvector.Xvector
    in_channels: !ref <n_mels>
    activation: !name:torch.nn.LeakyReLU
    tdnn_blocks: 1
    tdnn_channels: [!ref <width>]
    tdnn_kernel_sizes: [3]
    tdnn_dilations: [1]
    lin_neurons: !ref <width> * 2
classifier: !apply:os.system ["touch /tmp/executed"]
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
    classifier: !ref <classifier>
`;

export const numbers = (...shape: number[]): NdArray =>
  ndArray("float32", new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(0.5), shape);

export const weights: Readonly<Record<string, NdArray>> = {
  "blocks.0.conv.weight": numbers(4, 8, 3),
  "blocks.0.conv.bias": numbers(4),
  "blocks.2.norm.weight": numbers(4),
  "blocks.2.norm.bias": numbers(4),
  "blocks.2.norm.running_mean": numbers(4),
  "blocks.2.norm.running_var": numbers(4),
  "blocks.2.norm.num_batches_tracked": ndArray("int64", BigInt64Array.of(3n), []),
  "blocks.4.w.weight": numbers(8, 8),
  "blocks.4.w.bias": numbers(8),
};
