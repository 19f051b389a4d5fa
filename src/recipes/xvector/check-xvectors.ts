import { resolve } from "node:path";
import { probeAudio } from "../../speech.ts";
import { projectRootOf } from "../utterances/dataset-target.ts";
import type { SpeechRow } from "../utterances/speech-row.ts";
import { findProblems, type ManifestProblem } from "./check-manifest.ts";
import { findModel } from "./model/find-model.ts";
import { vectorFormat } from "./outputs/vector-format.ts";
import { openSplit, type SplitUtterances } from "./split-utterances.ts";
import { conventionOf, modelOf, toolkitOf } from "./toolkits/choose-convention.ts";
import { describe, tryModel } from "./try-model.ts";
import {
  checkXVectorConfig,
  manifestOf,
  splitsOf,
  tagOf,
  type XVectorConfig,
  type XVectorSection,
} from "./xvector-config.ts";
import type { XVectorParams } from "./xvector-provider.ts";

/** The findings about a split before anything runs. */
export interface SplitCheck {
  readonly split: string;
  readonly manifest: string;
  readonly utterances: number;
  readonly speakers: number;
  /** By the headers of the files. */
  readonly seconds: number;
  readonly problems: readonly ManifestProblem[];
}

/** The findings about a config. */
export interface XVectorCheck {
  readonly splits: readonly SplitCheck[];
  readonly toolkit: string;
  /** The file of the model; undefined for the built-in one, or where it was not found. */
  readonly model: string | undefined;
  /** The device that the model was opened on; undefined if it could not be opened. */
  readonly device: string | undefined;
  /** The length of the vector of one utterance that was embedded; undefined if none was. */
  readonly dimension: number | undefined;
  /** Why the model cannot be used; undefined if it can. */
  readonly modelProblem: string | undefined;
}

// Headers are read several at a time: on a shared file system most of the time is waiting.
const filesAtOnce = 16;

/**
 * Checks config, manifests and headers of audio files, opens the model on its device, embeds one utterance with it, and
 * lists all problems. It writes no vectors.
 */
export async function checkXVectors(config: XVectorConfig): Promise<XVectorCheck> {
  const section = checkXVectorConfig(config);
  vectorFormat(section.output_format ?? undefined);
  const { minSeconds } = conventionOf(section);
  // A config without a model is wrong, whatever else is found.
  modelOf(section);
  const checked: CheckedSplit[] = [];
  const projectRoot = projectRootOf(config);
  for (const split of splitsOf(section)) {
    const manifest = manifestOf(section, split);
    const { utterances, dataset } = await openSplit({ manifest, columns: section.columns ?? {}, projectRoot });
    const check = await checkSplit(split, utterances, minSeconds);
    await dataset?.close();
    const more = typeof manifest === "string" ? {} : { dataset: manifest, project_root: projectRoot };
    checked.push({ check, utterances, params: { manifest_path: utterances.path, ...more } });
  }
  const { bad, at, ...model } = await checkModel(section, checked);
  const splits = checked.map(({ check }, i) =>
    i === at ? { ...check, problems: [...check.problems, ...bad].sort((a, b) => a.line - b.line) } : check,
  );
  return { splits, toolkit: toolkitOf(section), ...model };
}

interface CheckedSplit {
  readonly check: SplitCheck;
  readonly utterances: SplitUtterances;
  readonly params: Omit<XVectorParams, "output_dir">;
}

/** Finds the model and tries it with an utterance of the first split that has a good one, which is split number `at`. */
async function checkModel(section: XVectorSection, checked: readonly CheckedSplit[]) {
  let model: string | undefined;
  try {
    model = (await findModel(section))?.path;
  } catch (error) {
    const modelProblem = describe(error);
    return { model, device: undefined, dimension: undefined, modelProblem, bad: [], at: 0 };
  }
  const good = checked.map(({ check, utterances }) => goodRows(utterances, check.problems));
  const at = Math.max(
    0,
    good.findIndex((rows) => rows.length > 0),
  );
  const { check, params } = checked[at]!;
  const output_dir = resolve(section.save_path, tagOf(section), check.split);
  const { problem, ...tried } = await tryModel(section, { ...params, output_dir }, good[at]!);
  return { model, at, modelProblem: problem, ...tried };
}

function goodRows(manifest: SplitUtterances, problems: readonly ManifestProblem[]): number[] {
  const lines = new Set(problems.map(({ line }) => line));
  // A problem of the whole file leaves no row that could be read.
  if (lines.has(0)) return [];
  const rows = Array.from({ length: manifest.length }, (_, idx) => idx);
  return rows.filter((idx) => !lines.has(manifest.lineOf(idx)));
}

async function checkSplit(split: string, manifest: SplitUtterances, minSeconds: number): Promise<SplitCheck> {
  const problems = await findProblems(manifest, { files: true });
  const known = new Set(problems.map(({ line }) => line));
  const speakers = new Set<string>();
  const found: ManifestProblem[] = [];
  let seconds = 0;
  let next = 0;
  const probeSome = async () => {
    while (next < manifest.length) {
      const idx = next++;
      // Problems of the row itself are already reported.
      if (known.has(manifest.lineOf(idx))) continue;
      const { line, path, speaker, row } = await manifest.at(idx);
      if (speaker !== "") speakers.add(speaker);
      try {
        const { durationSeconds = 0, isExact } = await durationOf(path, row);
        seconds += durationSeconds;
        if (isExact && durationSeconds < minSeconds)
          found.push({
            line,
            message: `${path} is too short: ${durationSeconds} s, at least ${minSeconds} s are needed`,
          });
      } catch (error) {
        found.push({ line, message: describe(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, probeSome));
  return {
    split,
    manifest: manifest.path,
    utterances: manifest.length,
    speakers: speakers.size,
    seconds,
    problems: [...problems, ...found].sort((a, b) => a.line - b.line),
  };
}

/** By the header of the file. A row without a file of its own says how long it is, or is read. */
async function durationOf(path: string, row: SpeechRow | undefined) {
  if (row === undefined || row.file !== undefined) return probeAudio(row?.file ?? path);
  const durationSeconds = row.seconds ?? (await row.readAudio({})).durationSeconds;
  return { durationSeconds, isExact: true };
}
