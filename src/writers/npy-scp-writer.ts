import { encodeNpy } from "../formats/npy/encode-npy.ts";
import type { ArrayRecord } from "./array-record.ts";
import { type ListedFilesOptions, ListedFilesWriter } from "./listed-files-writer.ts";

export type NpyScpWriterOptions = ListedFilesOptions;
export type NpyScpWriter = ListedFilesWriter<ArrayRecord>;

const form = { suffix: ".npy", encode: ({ array }: ArrayRecord): Uint8Array => encodeNpy(array) };

/**
 * One npy file an array under a safe name, and `name.scp` with the ids, as ESPnet writes them. With checkpoints; `mergeScp`
 * makes one list of all shards.
 */
export function npyScpWriter(shardDir: string, options: NpyScpWriterOptions): NpyScpWriter {
  return new ListedFilesWriter(shardDir, options, form);
}
