import { withFileSource } from "../file-source.ts";
import type { NdArray } from "../nd-array.ts";
import { decodeNpy } from "./decode-npy.ts";

/** The array in an npy file. */
export function readNpy(path: string): NdArray {
  return withFileSource(path, (source) => decodeNpy(source));
}
