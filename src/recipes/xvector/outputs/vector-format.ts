import { encodeNpy, encodePt, ndArray } from "../../../formats.ts";
import { MillraceError } from "../../../index.ts";
import {
  type TogetherPlace,
  type VectorEntry,
  type VectorKind,
  writeArk,
  writeNpz,
  writeParquet,
  writeSafetensors,
} from "./write-together.ts";

/** How vectors are stored: one file each, written by the workers, or one file per split, made at the end. */
export type VectorFormat =
  | { readonly kind: "each"; readonly extension: string; readonly encode: (vector: Float32Array) => Uint8Array }
  | {
      readonly kind: "together";
      readonly extension: string;
      readonly write: (place: TogetherPlace, entries: Iterable<VectorEntry>, kind: VectorKind) => Promise<void>;
    };

// A new format is a line here.
const formats: Readonly<Record<string, VectorFormat>> = {
  pt: { kind: "each", extension: ".pt", encode: (vector) => encodePt(ndArray("float32", vector)) },
  npy: { kind: "each", extension: ".npy", encode: (vector) => encodeNpy(ndArray("float32", vector)) },
  npz: { kind: "together", extension: ".npz", write: writeNpz },
  ark: { kind: "together", extension: ".ark", write: writeArk },
  safetensors: { kind: "together", extension: ".safetensors", write: writeSafetensors },
  parquet: { kind: "together", extension: ".parquet", write: writeParquet },
};

/** The format of a config; `.pt`, as in ESPnet3, by default. */
export function vectorFormat(name = "pt"): VectorFormat {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format !== undefined) return format;
  throw new MillraceError("BAD_CONFIG", `xvector.output_format is ${JSON.stringify(name)}.`, {
    hint: `Valid: ${Object.keys(formats).join(", ")}.`,
  });
}
