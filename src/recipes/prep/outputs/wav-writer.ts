import { type ArrayFilesWriter, filesScpWriter } from "../../../formats.ts";
import { shardFiles } from "./shard-files.ts";

/** One WAV file per utterance, and the list of them. With checkpoints. */
export function wavWriter(shardDir: string): ArrayFilesWriter<Uint8Array> {
  return filesScpWriter(shardDir, { name: shardFiles.wav }, { suffix: ".wav", encode: (wav) => wav });
}
