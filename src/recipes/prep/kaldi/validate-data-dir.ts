import { existsSync } from "node:fs";
import { join } from "node:path";
import { openFileSource, readTextLines } from "../../../formats.ts";
import { compareBytes } from "../compare-bytes.ts";

/** One problem that Kaldi would not accept. */
export interface DataDirProblem {
  readonly file: string;
  /** Line number from 1; 0 for the whole file. */
  readonly line: number;
  readonly message: string;
}

/** Files that may be missing. If they exist they are checked. */
export interface ValidateDataDirOptions {
  /** Default: all of them are required. */
  readonly noFeats?: boolean;
  readonly noText?: boolean;
  readonly noWav?: boolean;
  /** Whether `utt2spk` may be in an order in which speakers are not sorted. */
  readonly noSpeakerSort?: boolean;
  /** Whether an utterance may have no words. */
  readonly emptyText?: boolean;
}

/**
 * Checks a Kaldi data folder for what `utils/validate_data_dir.sh` requires: sorted by the bytes of the keys, no
 * duplicates, the same keys everywhere, consistent speakers, texts that Kaldi can read. All problems are reported, each
 * with its line.
 */
export function validateDataDir(dir: string, options: ValidateDataDirOptions = {}): DataDirProblem[] {
  const problems: DataDirProblem[] = [];
  const has = (file: string) => existsSync(join(dir, file));
  const say = (file: string, line: number, message: string) => void problems.push({ file, line, message });
  // Each list is read, and problems of its order are reported, only once.
  const tables = new Map<string, Table>();
  const read = (file: string) => {
    const table = tables.get(file) ?? readTable(dir, file, say);
    tables.set(file, table);
    return table;
  };

  for (const file of ["utt2spk", "spk2utt"]) if (!has(file)) say(file, 0, "is not there");
  if (problems.length > 0) return problems;
  const utt2spk = read("utt2spk");
  const spk2utt = read("spk2utt");
  checkFields(utt2spk, 1, say);
  if (options.noSpeakerSort !== true) checkSpeakerOrder(utt2spk, say);
  checkAgreement(utt2spk, spk2utt, say);

  const required = { text: options.noText, "wav.scp": options.noWav, "feats.scp": options.noFeats };
  for (const [file, isLeftOut] of Object.entries(required)) if (!has(file) && !isLeftOut) say(file, 0, "is not there");

  if (has("text")) checkText(read("text"), options.emptyText ?? false, say);
  if (has("wav.scp")) checkPaths(read("wav.scp"), say);
  if (has("segments")) checkSegments(read("segments"), read("wav.scp"), say);
  if (has("feats.scp")) checkPaths(read("feats.scp"), say);
  for (const file of ["utt2dur", "utt2num_frames"]) if (has(file)) checkNumbers(read(file), say);

  const byUtterance = ["text", "feats.scp", "utt2dur", "utt2num_frames", "vad.scp", "utt2lang", "utt2uniq"];
  byUtterance.push(has("segments") ? "segments" : "wav.scp");
  for (const file of byUtterance) if (has(file)) checkSameKeys(utt2spk, read(file), say);
  for (const file of ["cmvn.scp", "spk2gender"]) if (has(file)) checkSameKeys(spk2utt, read(file), say);
  return problems;
}

type Say = (file: string, line: number, message: string) => void;

interface Table {
  readonly file: string;
  readonly rows: readonly { readonly key: string; readonly rest: string }[];
}

/** The lines of a list. Reports keys that are not sorted or occur twice. */
function readTable(dir: string, file: string, say: Say): Table {
  const source = openFileSource(join(dir, file));
  try {
    const bytes = source.read(Math.max(0, source.size - 1), Math.min(1, source.size));
    if (source.size === 0) say(file, 0, "is empty");
    else if (bytes[0] !== 10) say(file, 0, "does not end with a line break");
    const rows: { key: string; rest: string }[] = [];
    for (const { text, number } of readTextLines(source)) {
      const [, key = "", rest = ""] = /^([^ \t]*)[ \t]*(.*)$/su.exec(text) ?? [];
      const before = rows.at(-1);
      if (key === "") say(file, number, "has no key");
      else if (before?.key === key) say(file, number, `${key} comes twice`);
      else if (before !== undefined && compareBytes(before.key, key) > 0)
        say(file, number, `${key} comes after ${before.key}; lines are sorted by their bytes (LC_ALL=C sort)`);
      rows.push({ key, rest });
    }
    return { file, rows };
  } finally {
    source.close();
  }
}

function checkFields({ file, rows }: Table, count: number, say: Say): void {
  for (const [i, { key, rest }] of rows.entries()) {
    const found = rest.split(/[ \t]+/).filter((word) => word !== "").length;
    if (found !== count) say(file, i + 1, `${key} has ${found} values, not ${count}`);
  }
}

function checkSpeakerOrder({ file, rows }: Table, say: Say): void {
  for (const [i, { key, rest }] of rows.entries()) {
    const before = rows[i - 1]?.rest;
    if (before === undefined || compareBytes(before, rest) <= 0) continue;
    say(file, i + 1, `${key} of ${rest} comes after one of ${before}; speakers should be the beginning of their ids`);
  }
}

function checkAgreement(utt2spk: Table, spk2utt: Table, say: Say): void {
  const speakerOf = new Map(utt2spk.rows.map(({ key, rest }) => [key, rest]));
  const order = spk2utt.rows.flatMap(({ rest }) => rest.split(/[ \t]+/));
  for (const [i, { key: speaker, rest }] of spk2utt.rows.entries()) {
    if (rest === "") say(spk2utt.file, i + 1, `${speaker} has no utterances`);
    for (const id of rest.split(/[ \t]+/).filter((word) => word !== "")) {
      const other = speakerOf.get(id);
      if (other !== speaker)
        say(spk2utt.file, i + 1, `${id} is of ${other ?? "no speaker"} in utt2spk, not of ${speaker}`);
      speakerOf.delete(id);
    }
  }
  for (const [id, speaker] of speakerOf) say(spk2utt.file, 0, `${id} of ${speaker} is missing`);
  const differs = utt2spk.rows.findIndex(({ key }, i) => key !== order[i]);
  if (speakerOf.size === 0 && differs !== -1)
    say(spk2utt.file, 0, `lists ${order[differs]} where utt2spk has ${utt2spk.rows[differs]!.key}`);
}

function checkText({ file, rows }: Table, emptyText: boolean, say: Say): void {
  for (const [i, { key, rest }] of rows.entries()) {
    if (rest.trim() === "" && !emptyText) say(file, i + 1, `${key} has no words`);
    if (/[^\S \t]/u.test(`${key}${rest}`)) say(file, i + 1, `${key} holds a blank that is neither a space nor a tab`);
    const symbol = /(?<!\w)(?:<s>|<\/s>|#0)(?!\w)/.exec(`${key} ${rest}`)?.[0];
    if (symbol !== undefined) say(file, i + 1, `${key} holds ${symbol}, which is Kaldi's own`);
  }
}

function checkPaths({ file, rows }: Table, say: Say): void {
  for (const [i, { key, rest }] of rows.entries()) {
    if (rest === "") say(file, i + 1, `${key} has no file`);
    if (rest.startsWith("~")) say(file, i + 1, `${key} has a path with ~, which only a shell understands`);
  }
}

function checkSegments({ file, rows }: Table, wavs: Table, say: Say): void {
  const recordings = new Set<string>();
  for (const [i, { key, rest }] of rows.entries()) {
    const [recording = "", start, end, ...more] = rest.split(/[ \t]+/);
    recordings.add(recording);
    if (!(Number(end) > Number(start)) || more.length > 0) say(file, i + 1, `${key} has no "recording start end"`);
  }
  const sorted = [...recordings].sort(compareBytes).map((key) => ({ key, rest: "" }));
  checkSameKeys({ file, rows: sorted }, wavs, say);
}

function checkNumbers({ file, rows }: Table, say: Say): void {
  for (const [i, { key, rest }] of rows.entries()) {
    const value = Number(rest);
    const isRight = rest !== "" && value > 0 && (file !== "utt2num_frames" || Number.isInteger(value));
    if (!isRight) say(file, i + 1, `${key} has ${JSON.stringify(rest)}`);
  }
}

function checkSameKeys(expected: Table, found: Table, say: Say): void {
  const there = new Set(found.rows.map(({ key }) => key));
  const wanted = new Set(expected.rows.map(({ key }) => key));
  for (const { key } of expected.rows) if (!there.has(key)) say(found.file, 0, `${key} of ${expected.file} is missing`);
  for (const [i, { key }] of found.rows.entries())
    if (!wanted.has(key)) say(found.file, i + 1, `${key} is not in ${expected.file}`);
}
