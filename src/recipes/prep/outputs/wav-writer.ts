import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { safeFileName } from "../../../formats.ts";
import { type FilePrefix, textWriter, type Writer } from "../../../index.ts";
import { shardFiles } from "./shard-files.ts";

/** The audio of an utterance as a file. */
export interface WavRecord {
  readonly id: string;
  readonly wav: Uint8Array;
}

/** One WAV file an utterance, and the list of them. With checkpoints: the files so far. */
export function wavWriter(shardDir: string): Writer<WavRecord> & Required<Pick<Writer, "checkpoint" | "restore">> {
  const list = textWriter(shardDir, `${shardFiles.wav}.scp`);
  let audio: FilePrefix[] = [];
  let isFolderMade = false;
  return {
    write({ id, wav }) {
      const name = `${shardFiles.wav}/${safeFileName(id)}.wav`;
      if (!isFolderMade) mkdirSync(join(shardDir, shardFiles.wav), { recursive: true });
      isFolderMade = true;
      writeFileSync(join(shardDir, name), wav);
      audio.push({ name, bytes: wav.length });
      list.write(`${id} ${name}`);
    },
    checkpoint() {
      const { files, token } = list.checkpoint();
      return { files: [...files, ...audio], token };
    },
    restore({ files: [lines, ...rest], token }) {
      if (lines === undefined) return;
      list.restore({ files: [lines], token });
      audio = rest;
    },
    close: () => list.close(),
  };
}
