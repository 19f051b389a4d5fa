import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { formatScpLine, readTsv, type TsvRow } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import { audioPath, type ManifestColumn, manifestColumns } from "../manifest-columns.ts";
import { compareBytes } from "./compare-bytes.ts";
import type { PrepSection } from "./prep-config.ts";
import type { Utterance } from "./utterance.ts";

type Row = TsvRow<ManifestColumn>;

/**
 * The rows of the raw manifest. Rows that cannot be in any output are refused here, all at once with their lines,
 * before the work begins.
 */
export function readUtterances({ manifest, audio, kaldi }: PrepSection): Utterance[] {
  const path = resolve(manifest);
  const listsSources = audio?.write !== true;
  const { blanks } = kaldi ?? {};
  const toWord = (id: string) => (blanks == null ? id : id.replace(/\s+/gu, blanks));
  const check = (row: Row) => problemOf(row, { manifest: path, listsSources, toWord });
  const rows = readTsv(path, { columns: manifestColumns, id: "utt_id", check }).map((row): Utterance => {
    const id = toWord(row.utt_id);
    return {
      id,
      sourceId: row.utt_id,
      path: audioPath(row.wav_path, path),
      text: row.text,
      speaker: toWord(row.speaker_id) || id,
    };
  });
  if (rows.length === 0) {
    throw new MillraceError("BAD_FILE", `${path} has no utterances.`, {
      hint: `Each line is one: ${manifestColumns.join(", ")}, with tabs between them.`,
    });
  }
  const prefix = kaldi?.speaker_prefix ?? "auto";
  const isNeeded = prefix === "auto" ? !isInSpeakerOrder(rows) : prefix;
  return requireUnique(isNeeded ? rows.map(withPrefix) : rows, path);
}

/** A digest of what the outputs depend on, so that a worker detects another manifest. */
export function digestOf(utterances: readonly Utterance[]): string {
  const hash = createHash("sha256");
  for (const { id, path, text, speaker } of utterances) hash.update(`${id}\t${path}\t${text}\t${speaker}\n`);
  return hash.digest("hex");
}

// One word for every reader of Kaldi's lists, whatever it treats as a blank.
const notOneWord = /[\s\p{Cc}\p{Surrogate}]/u;

function problemOf(
  { utt_id, speaker_id, wav_path }: Row,
  { manifest, listsSources, toWord }: { manifest: string; listsSources: boolean; toWord: (id: string) => string },
): string | undefined {
  for (const [name, value] of [["utt_id", utt_id] as const, ["speaker_id", speaker_id] as const]) {
    if (notOneWord.test(toWord(value)))
      return `the ${name} ${JSON.stringify(value)} is not one word (prep.kaldi.blanks can replace blanks)`;
    if (value !== "" && toWord(value) === "") return `nothing is left of the ${name} ${JSON.stringify(value)}`;
  }
  if (wav_path.trim() === "") return "has an empty wav_path";
  if (/[\p{Cc}\p{Surrogate}]/u.test(wav_path))
    return `the wav_path ${JSON.stringify(wav_path)} holds control characters`;
  return listsSources && !canBeListed(audioPath(wav_path, manifest))
    ? `the wav_path ${JSON.stringify(wav_path)} would be read as something else in wav.scp (set audio.write: true)`
    : undefined;
}

/** Kaldi runs a path that ends with a pipe character as a command. */
function canBeListed(path: string): boolean {
  try {
    formatScpLine({ key: "utt", path });
    return true;
  } catch {
    return false;
  }
}

/** True if the order of the utterances is also sorted by speaker, as Kaldi requires. */
function isInSpeakerOrder(utterances: readonly Utterance[]): boolean {
  const sorted = [...utterances].sort((a, b) => compareBytes(a.id, b.id));
  return sorted.every(({ speaker }, i) => i === 0 || compareBytes(sorted[i - 1]!.speaker, speaker) <= 0);
}

function withPrefix(utterance: Utterance): Utterance {
  return { ...utterance, id: `${utterance.speaker}-${utterance.id}` };
}

/** Ids that differ in the manifest may become equal after the changes. */
function requireUnique(utterances: Utterance[], path: string): Utterance[] {
  const seen = new Map<string, string>();
  for (const { id, sourceId } of utterances) {
    const other = seen.get(id);
    seen.set(id, sourceId);
    if (other === undefined) continue;
    const both = `${JSON.stringify(other)} and ${JSON.stringify(sourceId)}`;
    throw new MillraceError("BAD_FILE", `${path}: ${both} are both ${JSON.stringify(id)} in the lists.`, {
      hint: "Rename one of them, or change prep.kaldi.speaker_prefix or prep.kaldi.blanks.",
    });
  }
  return utterances;
}
