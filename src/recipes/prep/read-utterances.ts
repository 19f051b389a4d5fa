import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { isDataset } from "../../datasets.ts";
import { formatScpLine, readTsv, type TsvRow } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import { audioPath, type ManifestColumn, manifestColumns } from "../manifest-columns.ts";
import { compareBytes } from "./compare-bytes.ts";
import type { PrepSection } from "./prep-config.ts";
import type { KaldiSection } from "./sections/kaldi-section.ts";
import type { Utterance, Utterances } from "./utterance.ts";

type Row = TsvRow<ManifestColumn>;

/**
 * The rows of the raw manifest. Rows that cannot be in any output are refused here, all at once with their lines,
 * before the work begins.
 */
export function readUtterances({ manifest, audio, kaldi }: PrepSection & { readonly manifest: string }): Utterance[] {
  const path = resolve(manifest);
  const listsSources = audio?.write !== true;
  const toWord = wordMaker(kaldi);
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

/** A digest of what the outputs depend on, so that a worker detects another manifest. A dataset has its own. */
export async function digestOf(utterances: Utterances): Promise<string> {
  if (isDataset(utterances)) return utterances.digest;
  const hash = createHash("sha256");
  for (let i = 0; i < utterances.length; i++) {
    const { id, path, text, speaker } = (await utterances.at(i))!;
    hash.update(`${id}\t${path}\t${text}\t${speaker}\n`);
  }
  return hash.digest("hex");
}

/** Replaces the blanks in ids, if the config says by what. */
export function wordMaker(kaldi: KaldiSection | null | undefined): (id: string) => string {
  const { blanks } = kaldi ?? {};
  return (id) => (blanks == null ? id : id.replace(/\s+/gu, blanks));
}

// One word for every reader of Kaldi's lists, whatever it treats as a blank.
const notOneWord = /[\s\p{Cc}\p{Surrogate}]/u;

function problemOf(
  { utt_id, speaker_id, wav_path }: Row,
  { manifest, listsSources, toWord }: { manifest: string; listsSources: boolean; toWord: (id: string) => string },
): string | undefined {
  const ofIds = problemOfIds({ id: utt_id, speaker: speaker_id }, toWord);
  if (ofIds !== undefined) return ofIds;
  if (wav_path.trim() === "") return "has an empty wav_path";
  if (/[\p{Cc}\p{Surrogate}]/u.test(wav_path))
    return `the wav_path ${JSON.stringify(wav_path)} holds control characters`;
  return listsSources ? problemOfPath(audioPath(wav_path, manifest), "wav_path", wav_path) : undefined;
}

/** What is wrong with the ids of an utterance: each is one word in all lists. */
export function problemOfIds(
  { id, speaker }: { readonly id: string; readonly speaker: string },
  toWord: (id: string) => string,
): string | undefined {
  for (const [name, value] of [["utt_id", id] as const, ["speaker_id", speaker] as const]) {
    if (notOneWord.test(toWord(value)))
      return `the ${name} ${JSON.stringify(value)} is not one word (prep.kaldi.blanks can replace blanks)`;
    if (value !== "" && toWord(value) === "") return `nothing is left of the ${name} ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** What is wrong with a path that is to be listed. */
export function problemOfPath(path: string, name: string, shown: string = path): string | undefined {
  if (canBeListed(path)) return undefined;
  return `the ${name} ${JSON.stringify(shown)} would be read as something else in wav.scp (set audio.write: true)`;
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
export function isInSpeakerOrder(utterances: readonly Utterance[]): boolean {
  const sorted = [...utterances].sort((a, b) => compareBytes(a.id, b.id));
  return sorted.every(({ speaker }, i) => i === 0 || compareBytes(sorted[i - 1]!.speaker, speaker) <= 0);
}

/** The speaker in front of the id, so that the order of ids is that of speakers. */
export function withPrefix(utterance: Utterance): Utterance {
  return { ...utterance, id: `${utterance.speaker}-${utterance.id}` };
}

/** Ids that differ in the manifest may become equal after the changes. */
export function requireUnique(utterances: Utterance[], path: string): Utterance[] {
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
