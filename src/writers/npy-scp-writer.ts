import { encodeNpy } from "../formats/npy/encode-npy.ts";
import { type ArrayFilesOptions, ArrayFilesWriter } from "./array-files-writer.ts";

/**
 * One npy file an array under a safe name, and `name.scp` with the ids, as ESPnet writes them. With checkpoints; `mergeScp`
 * makes one list of all shards.
 */
export function npyScpWriter(shardDir: string, options: ArrayFilesOptions): ArrayFilesWriter {
  return new ArrayFilesWriter(shardDir, options, { suffix: ".npy", encode: encodeNpy });
}
