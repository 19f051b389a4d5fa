import { encodeNpy } from "../formats/npy/encode-npy.ts";
import { type ArrayFilesOptions, type ArrayFilesWriter, filesScpWriter } from "./array-files-writer.ts";

/**
 * One npy file per array with a safe name, and `name.scp` with the ids, as in ESPnet. With checkpoints; `mergeScp`
 * makes one list of all shards.
 */
export function npyScpWriter(shardDir: string, options: ArrayFilesOptions): ArrayFilesWriter {
  return filesScpWriter(shardDir, options, { suffix: ".npy", encode: encodeNpy });
}
