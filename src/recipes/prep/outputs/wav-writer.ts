import { ListedFilesWriter } from "../../../formats.ts";
import { shardFiles } from "./shard-files.ts";

/** The audio of an utterance as a file. */
export interface WavRecord {
  readonly id: string;
  readonly wav: Uint8Array;
}

/** One WAV file an utterance, and the list of them. With checkpoints. */
export function wavWriter(shardDir: string): ListedFilesWriter<WavRecord> {
  return new ListedFilesWriter(shardDir, { name: shardFiles.wav }, { suffix: ".wav", encode: ({ wav }) => wav });
}
