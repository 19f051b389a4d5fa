import type { Dataset } from "../../datasets.ts";
import { MillraceError } from "../../index.ts";
import { type DatasetTarget, nameOfTarget } from "../utterances/dataset-target.ts";
import { openSpeechRows } from "../utterances/open-speech-rows.ts";
import type { SpeechRow } from "../utterances/speech-row.ts";
import type { PrepSection } from "./prep-config.ts";
import {
  isInSpeakerOrder,
  problemOfIds,
  problemOfPath,
  requireUnique,
  withPrefix,
  wordMaker,
} from "./read-utterances.ts";
import type { Utterance } from "./utterance.ts";

/** What the driver has found out about a dataset, so that workers need not read all of it. */
export interface OpenUtterancesOptions {
  /** The folder that the `_target_` is resolved against. */
  readonly projectRoot: string;
  /** Whether ids get the speaker as a prefix. Default: all rows are read and checked to know. */
  readonly hasPrefix?: boolean | undefined;
}

/** Opens the dataset of a `prep:` section. Its rows become utterances when they are asked for. */
export async function openUtterances(
  section: PrepSection & { readonly manifest: DatasetTarget },
  { projectRoot, hasPrefix }: OpenUtterancesOptions,
): Promise<Dataset<Utterance>> {
  const isNeeded = hasPrefix ?? (await checkUtterances(section, projectRoot));
  const rows = await openSpeechRows(section.manifest, { columns: section.columns ?? {}, projectRoot });
  const toWord = wordMaker(section.kaldi);
  return rows.map((row) => utteranceOf(row, { toWord, isNeeded }));
}

function utteranceOf(
  row: SpeechRow,
  { toWord, isNeeded }: { readonly toWord: (id: string) => string; readonly isNeeded: boolean },
): Utterance {
  const id = toWord(row.id);
  const utterance: Utterance = {
    ...{ id, sourceId: row.id, path: row.source, text: row.text, speaker: toWord(row.speaker) || id },
    readAudio: (options) => row.readAudio(options),
  };
  return isNeeded ? withPrefix(utterance) : utterance;
}

// A longer list does not help the reader.
const maxShown = 20;

/**
 * Reads all rows once, before the work begins: refuses those that cannot be in any output, all at once, and ids that occur twice.
 * Returns whether ids get their speaker as a prefix.
 */
export async function checkUtterances(
  section: PrepSection & { readonly manifest: DatasetTarget },
  projectRoot: string,
): Promise<boolean> {
  const rows = await openSpeechRows(section.manifest, { columns: section.columns ?? {}, projectRoot });
  const name = nameOfTarget(section.manifest);
  try {
    const problems: string[] = [];
    const toWord = wordMaker(section.kaldi);
    const listsSources = section.audio?.write !== true;
    const seen: Utterance[] = [];
    let index = 0;
    for await (const row of rows) {
      const problem = problemOfIds(row, toWord) ?? (listsSources ? problemOfSource(row) : undefined);
      if (problem !== undefined) problems.push(`row ${index}: ${problem}`);
      const { id, sourceId, speaker } = utteranceOf(row, { toWord, isNeeded: false });
      seen.push({ id, sourceId, speaker, path: "", text: "" });
      index++;
    }
    if (problems.length > 0) throw unusable(name, problems);
    if (seen.length === 0)
      throw new MillraceError("BAD_FILE", `${name} has no utterances.`, { hint: "Each row is one." });
    const prefix = section.kaldi?.speaker_prefix ?? "auto";
    const isNeeded = prefix === "auto" ? !isInSpeakerOrder(seen) : prefix;
    requireUnique(isNeeded ? seen.map(withPrefix) : seen, name);
    return isNeeded;
  } finally {
    await rows.close();
  }
}

/** The lists that are written name a file for each utterance, unless its audio is written. */
function problemOfSource({ file, source }: SpeechRow): string | undefined {
  if (file !== undefined) return problemOfPath(file, "audio");
  return `its audio (${source.slice(0, 100)}) is no file of its own, which the lists could name (set audio.write: true)`;
}

function unusable(name: string, problems: readonly string[]): MillraceError {
  const more = problems.length > maxShown ? [`… and ${problems.length - maxShown} more`] : [];
  return new MillraceError(
    "BAD_FILE",
    `${name} cannot be used:\n${[...problems.slice(0, maxShown), ...more].join("\n")}`,
    {
      hint: "Correct these rows, or leave them out with a function of your own that opens and filters the dataset.",
    },
  );
}
