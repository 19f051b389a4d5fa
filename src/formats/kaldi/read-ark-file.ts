import { openFileSource } from "../file-source.ts";
import type { KaldiTextOptions } from "./kaldi-value.ts";
import { type ArkEntry, readArk } from "./read-ark.ts";

/** The entries of an archive file, one after the other; the file is closed when the loop ends. */
export function* readArkFile(path: string, options: KaldiTextOptions = {}): Generator<ArkEntry> {
  const file = openFileSource(path);
  try {
    yield* readArk(file, options);
  } finally {
    file.close();
  }
}
