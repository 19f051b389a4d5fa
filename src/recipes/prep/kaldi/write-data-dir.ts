import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { formatScpLine } from "../../../formats.ts";
import { writeLines } from "../../write-lines.ts";
import { compareBytes } from "../compare-bytes.ts";
import type { CorpusEntry } from "../outputs/corpus.ts";
import { pathFromList } from "../path-from-list.ts";

/** Writes a Kaldi data folder. If audio was trimmed but not written, `segments` gives the part of each file. */
export function writeDataDir(
  dir: string,
  entries: readonly CorpusEntry[],
  { paths }: { readonly paths: "absolute" | "relative" },
): void {
  const scpLine = (name: string, key: string, path: string, offset?: number) => {
    const shown = paths === "absolute" ? resolve(path) : pathFromList(path, join(dir, name));
    return formatScpLine({ key, path: shown, ...(offset === undefined ? {} : { offset }) }).slice(0, -1);
  };
  const write = (name: string, isWanted: boolean, lineOf: (entry: CorpusEntry) => string) => {
    if (isWanted) writeLines(join(dir, name), mapLazily(entries, lineOf));
    else rmSync(join(dir, name), { force: true });
  };
  const some = (has: (entry: CorpusEntry) => boolean) => entries.some(has);
  write("utt2spk", true, ({ utt_id, speaker_id }) => `${utt_id} ${speaker_id}`);
  writeLines(join(dir, "spk2utt"), speakerLines(entries));
  write(
    "text",
    some(({ text }) => text !== ""),
    ({ utt_id, text }) => `${utt_id} ${text}`,
  );
  write("wav.scp", true, ({ utt_id, audio }) => scpLine("wav.scp", utt_id, audio));
  write("segments", some(isPart), ({ utt_id, start, seconds }) => {
    return `${utt_id} ${utt_id} ${decimal(start)} ${decimal(start + seconds)}`;
  });
  write("utt2dur", true, ({ utt_id, seconds }) => `${utt_id} ${decimal(seconds)}`);
  write(
    "feats.scp",
    some(({ feats }) => feats !== undefined),
    ({ utt_id, feats }) => scpLine("feats.scp", utt_id, feats!.path, feats!.offset),
  );
  write(
    "utt2num_frames",
    some(({ frames }) => frames !== undefined),
    ({ utt_id, frames }) => `${utt_id} ${frames}`,
  );
}

/** True if the listed audio is longer than the part that is kept. */
function isPart({ isWritten, start, seconds, source_seconds }: CorpusEntry): boolean {
  // A microsecond: the precision of stored times.
  return !isWritten && (start > 0 || source_seconds - seconds > 1e-6);
}

function speakerLines(entries: readonly CorpusEntry[]): string[] {
  const bySpeaker = new Map<string, string[]>();
  for (const { utt_id, speaker_id } of entries) {
    const ids = bySpeaker.get(speaker_id);
    if (ids === undefined) bySpeaker.set(speaker_id, [utt_id]);
    else ids.push(utt_id);
  }
  const speakers = [...bySpeaker].sort(([a], [b]) => compareBytes(a, b));
  return speakers.map(([speaker, ids]) => `${speaker} ${ids.join(" ")}`);
}

/** Never `1e-7`: awk reads it, but other tools do not. */
function decimal(seconds: number): string {
  return String(Number(seconds.toFixed(6)));
}

function* mapLazily<T>(values: Iterable<T>, to: (value: T) => string): Generator<string> {
  for (const value of values) yield to(value);
}
