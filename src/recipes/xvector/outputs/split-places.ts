import { basename, dirname, join } from "node:path";
import { safeFileName } from "../../../formats.ts";
import type { VectorFormat } from "./vector-format.ts";

/** Every path below `save_path/spk_embed_tag` that belongs to a split. No other module builds these paths. */
export interface SplitPlaces {
  readonly split: string;
  /** The folder of the tag. */
  readonly root: string;
  readonly runDir: string;
  /** For incomplete files. */
  readonly unfinished: string;
  readonly index: string;
  readonly failures: string;
  /** The file of all vectors, or of the speakers' means. */
  readonly together: { readonly utterances: string; readonly speakers: string };
  utterance(id: string): string;
  speaker(id: string): string;
  /** The report and its charts. */
  report(name: string): string;
  /** The path of a vector in the index. */
  relative(id: string): string;
}

/** The paths of a split, from the folder of its vectors. */
export function splitPlaces(outputDir: string, { kind, extension }: VectorFormat): SplitPlaces {
  const root = dirname(outputDir);
  const split = basename(outputDir);
  return {
    split,
    root,
    runDir: join(root, "runs", split),
    unfinished: join(root, "runs", `${split}.unfinished`),
    index: join(root, "index", `${split}.tsv`),
    failures: join(root, "index", `${split}.failures.tsv`),
    together: {
      utterances: join(root, `${split}${extension}`),
      speakers: join(root, "spk_mean", `${split}${extension}`),
    },
    utterance: (id) => join(outputDir, `${safeFileName(id)}${extension}`),
    speaker: (id) => join(root, "spk_mean", split, `${safeFileName(id)}${extension}`),
    report: (name) => join(root, "report", `${split}${name}`),
    relative: (id) => (kind === "each" ? `${split}/${safeFileName(id)}${extension}` : `${split}${extension}`),
  };
}
