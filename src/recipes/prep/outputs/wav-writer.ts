import { ArrayFilesWriter } from "../../../formats.ts";
import { shardFiles } from "./shard-files.ts";

/** One WAV file an utterance, and the list of them. With checkpoints. */
export function wavWriter(shardDir: string): ArrayFilesWriter<Uint8Array> {
  return new ArrayFilesWriter(shardDir, { name: shardFiles.wav }, { suffix: ".wav", encode: (wav) => wav });
}
