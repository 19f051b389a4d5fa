// Configurations of PyTorch checkpoints, with weights that fit the honest one.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeCheckpoint } from "../../../src/checkpoints/describe-checkpoint.ts";
import { isMillraceError } from "../../../src/errors/errors.ts";
import { encodePt } from "../../../src/formats/pt/encode-pt.ts";
import { hyperparams, weights } from "../../support/checkpoints/small-xvector.ts";
import type { Reader } from "../reader.ts";

const ecapa = `${hyperparams.split("embedding_model:")[0]}embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    channels: [8, 8, 8, 8, 24]
    kernel_sizes: [5, 3, 3, 3, 1]
    dilations: [1, 2, 3, 4, 1]
    groups: [1, 1, 1, 1, 1]
    attention_channels: 4
    lin_neurons: 6
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
`;

const espnet = `frontend: melspec_torch
frontend_conf: {preemp: true, n_fft: 512, log: true, win_length: 400, hop_length: 160, n_mels: 80, normalize: mn}
encoder: ska_tdnn
encoder_conf: {ndim: 32, output_size: 48, model_scale: 4, ska_dim: 8}
pooling: chn_attn_stat
projector: ska_tdnn
projector_conf: {output_size: 16}
`;

// Those of the first configuration; for all others they are wrong, which is listed.
const weightsFile = join(mkdtempSync(join(tmpdir(), "millrace-fuzz-weights-")), "weights.pt");
writeFileSync(weightsFile, encodePt(weights));

const doubled = (first: string) =>
  Array.from({ length: 40 }, (_, i) => `k${i}: !ref ${first.replaceAll("NEXT", `k${i + 1}`)}`).join("\n");

const shared = {
  covers: [],
  isText: true,
  codes: ["BAD_MODEL", "BAD_CONFIG"],
  named: /damaged\.bin|weights\.pt/,
} satisfies Partial<Reader>;

/** Describes a checkpoint, and converts it. The weights fit one configuration only: that they do not is no finding. */
const reader = (toolkit: "speechbrain" | "espnet"): Reader["read"] => {
  return (input) => {
    const { convert, ...described } = describeCheckpoint({ toolkit, config: input.file(), weights: weightsFile });
    try {
      return { ...described, bytes: convert().length };
    } catch (error) {
      if (isMillraceError(error) && error.code === "BAD_MODEL") return described;
      throw error;
    }
  };
};

export const speechbrainConfig: Reader = {
  ...shared,
  seeds: () => [Buffer.from(hyperparams)],
  bombs: [
    () => Buffer.from(hyperparams.replace("<width> * 2", "<k0>").concat(doubled("<NEXT><NEXT>"))),
    () => Buffer.from(hyperparams.replace("[!ref <width>]", "!ref <k0>").concat(doubled("<NEXT> <NEXT>"))),
    () => Buffer.from(hyperparams.replace("tdnn_blocks: 1", "tdnn_blocks: 1000000000")),
    () => Buffer.from(hyperparams.replace("[3]", "[1000000000]")),
    () => Buffer.from(hyperparams.replace("n_mels: 8", "n_mels: 1000000000")),
    () => Buffer.from(ecapa),
    () => Buffer.from(ecapa.replace("attention_channels", "res2net_scale: 1000000000\n    attention_channels")),
    () =>
      Buffer.from(ecapa.replace("[8, 8, 8, 8, 24]", "[1000000000, 1000000000, 1000000000, 1000000000, 3000000000]")),
  ],
  read: reader("speechbrain"),
};

export const espnetConfig: Reader = {
  ...shared,
  seeds: () => [Buffer.from(espnet)],
  bombs: [
    () => Buffer.from(espnet.replace("model_scale: 4", "model_scale: 1000000000")),
    () => Buffer.from(espnet.replace("ndim: 32", "ndim: 1000000000")),
    () => Buffer.from(espnet.replace("n_fft: 512", "n_fft: 1000000000")),
    () => Buffer.from(espnet.replace("n_mels: 80", "n_mels: 1000000000")),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that was slow
    () => Buffer.from(espnet.replace("preemp", "${a}".repeat(100_000))),
  ],
  read: reader("espnet"),
};
