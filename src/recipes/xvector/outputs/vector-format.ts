import { encodeNpy, encodePt, NpzWriter, ndArray } from "../../../formats.ts";
import { MillraceError } from "../../../index.ts";

/** A file of all vectors of a split, which grows vector by vector. */
export interface VectorFile {
  add(key: string, vector: Float32Array): void;
  close(): void;
}

/** How vectors are kept: a file each, written by the workers as they go, or one file a split, made at the end. */
export type VectorFormat =
  | { readonly kind: "each"; readonly extension: string; readonly encode: (vector: Float32Array) => Uint8Array }
  | { readonly kind: "together"; readonly extension: string; readonly open: (path: string) => VectorFile };

// A new format is a line here.
const formats: Readonly<Record<string, VectorFormat>> = {
  pt: { kind: "each", extension: ".pt", encode: (vector) => encodePt(ndArray("float32", vector)) },
  npy: { kind: "each", extension: ".npy", encode: (vector) => encodeNpy(ndArray("float32", vector)) },
  npz: { kind: "together", extension: ".npz", open: openNpzFile },
};

/** The format of a config; `.pt`, as ESPnet3 writes it, where it names none. */
export function vectorFormat(name = "pt"): VectorFormat {
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format !== undefined) return format;
  throw new MillraceError("BAD_CONFIG", `xvector.output_format is ${JSON.stringify(name)}.`, {
    hint: `Valid: ${Object.keys(formats).join(", ")}.`,
  });
}

function openNpzFile(path: string): VectorFile {
  const npz = new NpzWriter(path);
  return {
    add: (key, vector) => npz.add(key, ndArray("float32", vector)),
    close: () => npz.close(),
  };
}
