import { badCheckpoint } from "./bad-checkpoint.ts";
import { show } from "./settings.ts";
import type { CheckpointFiles } from "./speaker-checkpoint.ts";
import { readYamlData } from "./yaml-data.ts";

/** Gives the path of a file by its name in a folder or repository, and fetches it if it has to be. */
export type GetFile = (name: string) => Promise<string>;

/** Options of {@link findCheckpoint}. */
export interface FindCheckpointOptions {
  /** Vectors are to be normalised with the statistics in `mean_var_norm_emb.ckpt`, which SpeechBrain's have. */
  readonly isNormalised?: boolean;
}

/** The file with the statistics of vectors. */
export const statisticsFile = "mean_var_norm_emb.ckpt";

/**
 * Finds the files of a checkpoint by the names in a folder or repository: SpeechBrain's `hyperparams.yaml` with
 * `embedding_model.ckpt`, the files that ESPnet's `meta.yaml` names, or the only `.pt` or `.pth` as RawNet's. Only the
 * files that are needed are asked for. Undefined if there is none of them.
 */
export async function findCheckpoint(
  names: readonly string[],
  get: GetFile,
  { isNormalised = false }: FindCheckpointOptions = {},
): Promise<CheckpointFiles | undefined> {
  if (names.includes("hyperparams.yaml") && names.includes("embedding_model.ckpt"))
    return {
      toolkit: "speechbrain",
      config: await get("hyperparams.yaml"),
      weights: await get("embedding_model.ckpt"),
      ...(isNormalised ? { statistics: await get(statisticsFile) } : {}),
    };
  if (names.includes("meta.yaml")) {
    const { config, weights } = readMeta(await get("meta.yaml"));
    return { toolkit: "espnet", config: await get(config), weights: await get(weights) };
  }
  const weights = names.filter((name) => /^[^/]+\.pth?$/.test(name));
  return weights.length === 1 ? { toolkit: "rawnet", weights: await get(weights[0]!) } : undefined;
}

/** The names of the files that ESPnet has packed. */
function readMeta(file: string): { readonly config: string; readonly weights: string } {
  const meta = readYamlData(file);
  const entry = (section: string, key: string): string => {
    const values = meta.get(section);
    const value = values instanceof Map ? (values.get(key) ?? null) : null;
    if (typeof value === "string") return value;
    throw badCheckpoint(
      file,
      `${section}.${key} is ${show(value)}; the name of a file was expected`,
      "Only speaker models of ESPnet-SPK are converted; they have both.",
    );
  };
  return { config: entry("yaml_files", "train_config"), weights: entry("files", "model_file") };
}
