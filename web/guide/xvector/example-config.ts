import { modelOf } from "../../../src/recipes/xvector/toolkits/choose-convention.ts";
import type { ToolkitName } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import type { XVectorSection } from "../../../src/recipes/xvector/xvector-config.ts";

// Models of one's own, for toolkits that have none on the hub.
const ownModels: Partial<Record<ToolkitName, string>> = {
  rawnet: "models/rawnet3.onnx",
  wespeaker: "models/voxceleb_resnet34.onnx",
  onnx: "models/my-speaker-model.onnx",
};

/** The section that a reader would begin with, for a toolkit. */
export function exampleSection(toolkit: ToolkitName): XVectorSection {
  const model = toolkit === "builtin" ? undefined : (ownModels[toolkit] ?? modelOf({ ...common, toolkit }));
  return {
    toolkit,
    ...(model === undefined ? {} : { pretrained_model: model }),
    device: toolkit === "builtin" ? "cpu" : "cuda:0",
    spk_embed_tag: model === undefined ? "mfcc-statistics" : model.replace(/^.*\//, "").replace(/\.onnx$/, ""),
    ...common,
    ...(toolkit === "onnx"
      ? { model: { input: "features", frontend: "fbank", frontend_options: { num_mel_bins: 80 }, cmvn: "mean" } }
      : {}),
  };
}

const common = {
  save_path: "exp/x_vectors",
  batch_size: 20,
  manifest_paths: { train: "data/train.tsv", valid: "data/valid.tsv", test: "data/test.tsv" },
  splits: ["train", "valid", "test"],
} as const satisfies XVectorSection;

/** Plain values as YAML, a line each. Strings must be such that they need no quotes. */
export function yamlLines(value: object, depth = 0): string[] {
  const indent = "  ".repeat(depth);
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (Array.isArray(inner)) return [`${indent}${key}: [${inner.join(", ")}]`];
    if (typeof inner === "object" && inner !== null) return [`${indent}${key}:`, ...yamlLines(inner, depth + 1)];
    return [`${indent}${key}: ${String(inner)}`];
  });
}
