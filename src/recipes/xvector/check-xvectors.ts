import { resolve } from "node:path";
import { probeAudio } from "../../speech.ts";
import { findManifestProblems, type ManifestProblem } from "./check-manifest.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { findModel } from "./model/find-model.ts";
import { vectorFormat } from "./outputs/vector-format.ts";
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
  /** The device that the model was opened on; undefined where it could not be opened. */
  readonly device: string | undefined;
  /** The length of the vector of one utterance that was embedded; undefined where none was. */
  readonly dimension: number | undefined;
  /** Why the model cannot be used; undefined where it can. */
  readonly modelProblem: string | undefined;
}

// Headers are read several at a time: on a shared file system most of the time is waiting.
const filesAtOnce = 16;

/**
 * Checks config, manifests and headers of audio files, opens the model on its device, embeds one utterance with it, and lists all
 * problems. It writes no vectors.
 */
export async function checkXVectors(config: XVectorConfig): Promise<XVectorCheck> {
  const section = checkXVectorConfig(config);
  vectorFormat(section.output_format ?? undefined);
  const { minSeconds } = conventionOf(section);
  // A config without a model is wrong, whatever else is found.
  modelOf(section);
  const checked: { check: SplitCheck; manifest: Manifest }[] = [];
  for (const split of splitsOf(section)) {
    const manifest = readManifest(manifestOf(section, split));
    checked.push({ check: await checkSplit(split, manifest, minSeconds), manifest });
  }
  const { bad, at, ...model } = await checkModel(section, checked);
  const splits = checked.map(({ check }, i) =>
    i === at ? { ...check, problems: [...check.problems, ...bad].sort((a, b) => a.line - b.line) } : check,
  );
  return { splits, toolkit: toolkitOf(section), ...model };
}

/** Finds the model and tries it with an utterance of the first split that has a good one, which is split number `at`. */
async function checkModel(
  section: XVectorSection,
  checked: readonly { readonly check: SplitCheck; readonly manifest: Manifest }[],
) {
  let model: string | undefined;
  try {
    model = (await findModel(section))?.path;
  } catch (error) {
    const modelProblem = describe(error);
    return { model, device: undefined, dimension: undefined, modelProblem, bad: [], at: 0 };
  }
  const good = checked.map(({ check, manifest }) => goodRows(manifest, check.problems));
  const at = Math.max(
    0,
    good.findIndex((rows) => rows.length > 0),
  );
  const { check, manifest } = checked[at]!;
  const output_dir = resolve(section.save_path, tagOf(section), check.split);
  const { problem, ...tried } = await tryModel(section, { manifest_path: manifest.path, output_dir }, good[at]!);
  return { model, at, modelProblem: problem, ...tried };
}

function goodRows(manifest: Manifest, problems: readonly ManifestProblem[]): number[] {
  const lines = new Set(problems.map(({ line }) => line));
  // A problem of the whole file leaves no row that could be read.
  if (lines.has(0)) return [];
  const rows = Array.from({ length: manifest.length }, (_, idx) => idx);
  return rows.filter((idx) => !lines.has(manifest.lineOf(idx)));
}

async function checkSplit(split: string, manifest: Manifest, minSeconds: number): Promise<SplitCheck> {
  const problems = findManifestProblems(manifest, { files: true });
  const known = new Set(problems.map(({ line }) => line));
  const speakers = new Set<string>();
  const found: ManifestProblem[] = [];
  let seconds = 0;
  let next = 0;
  const probeSome = async () => {
    while (next < manifest.length) {
      const { line, path, speaker } = manifest.at(next++);
      // Problems of the row itself are already reported.
      if (known.has(line)) continue;
      if (speaker !== "") speakers.add(speaker);
      try {
        const { durationSeconds = 0, isExact } = await probeAudio(path);
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
