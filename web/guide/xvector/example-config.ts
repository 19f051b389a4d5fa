import { modelOf } from "../../../src/recipes/xvector/toolkits/choose-convention.ts";
import type { ToolkitName } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";
import type { XVectorSection } from "../../../src/recipes/xvector/xvector-config.ts";

// User-provided models, for toolkits that have none on the hub.
const ownModels: Partial<Record<ToolkitName, string>> = {
  rawnet: "models/rawnet3.onnx",
  wespeaker: "models/voxceleb_resnet34.onnx",
  onnx: "models/my-speaker-model.onnx",
};

/** A first config for a toolkit. It runs on a GPU if there is one, and on a CPU otherwise. */
export function exampleConfig(toolkit: ToolkitName): { readonly data_dir: string; readonly xvector: XVectorSection } {
  const model = toolkit === "builtin" ? undefined : (ownModels[toolkit] ?? modelOf({ ...common, toolkit }));
  const xvector = {
    toolkit,
    ...(model === undefined ? {} : { pretrained_model: model }),
    device: null,
    spk_embed_tag: model === undefined ? "mfcc-statistics" : model.replace(/^.*\//, "").replace(/\.onnx$/, ""),
    ...common,
    ...(toolkit === "onnx"
      ? {
          model: {
            input: "features",
            frontend: "fbank",
            frontend_options: { num_mel_bins: 80 },
            cmvn: "mean",
          } as const,
        }
      : {}),
  };
  return { data_dir: "data", xvector };
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: interpolations of the config.
const common = {
  save_path: "${data_dir}/x_vectors",
  batch_size: 20,
  manifest_paths: {
    train: "${data_dir}/manifest/train.tsv",
    valid: "${data_dir}/manifest/valid.tsv",
    test: "${data_dir}/manifest/test.tsv",
  },
  splits: ["train", "valid", "test"],
} as const satisfies XVectorSection;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: interpolations of the config.

/** Plain values as YAML, one per line. Strings must not need quotes. */
export function yamlLines(value: object, depth = 0): string[] {
  const indent = "  ".repeat(depth);
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (Array.isArray(inner)) return [`${indent}${key}: [${inner.join(", ")}]`];
    if (typeof inner === "object" && inner !== null) return [`${indent}${key}:`, ...yamlLines(inner, depth + 1)];
    return [`${indent}${key}: ${String(inner)}`];
  });
}
