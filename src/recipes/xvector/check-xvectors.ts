import { resolve } from "node:path";
import { MillraceError } from "../../index.ts";
import { probeAudio } from "../../speech.ts";
import { findManifestProblems, type ManifestProblem } from "./check-manifest.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { findModel } from "./model/find-model.ts";
import { vectorFormat } from "./outputs/vector-format.ts";
import { conventionOf, toolkitOf } from "./toolkits/choose-convention.ts";
import { checkXVectorConfig, splitsOf, type XVectorConfig } from "./xvector-config.ts";

/** What was found out about a split before anything ran. */
export interface SplitCheck {
  readonly split: string;
  readonly manifest: string;
  readonly utterances: number;
  readonly speakers: number;
  /** As far as the headers of the files say. */
  readonly seconds: number;
  readonly problems: readonly ManifestProblem[];
}

/** What was found out about a config. */
export interface XVectorCheck {
  readonly splits: readonly SplitCheck[];
  readonly toolkit: string;
  /** The file of the model; undefined for the built-in one. */
  readonly model: string | undefined;
}

// Headers are read some at a time: on a shared file system most of it is waiting.
const filesAtOnce = 16;

/** Looks at config, manifests, headers of audio files and the model; runs nothing and lists everything that is wrong. */
export async function checkXVectors(config: XVectorConfig): Promise<XVectorCheck> {
  const section = checkXVectorConfig(config);
  vectorFormat(section.output_format ?? undefined);
  const { minSeconds } = conventionOf(section);
  const splits: SplitCheck[] = [];
  for (const split of splitsOf(section))
    splits.push(await checkSplit(split, readManifest(resolve(section.manifest_paths[split]!)), minSeconds));
  const found = await findModel(section);
  return { splits, toolkit: toolkitOf(section), model: found?.path };
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
      // What is wrong with the row itself has been said.
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
        found.push({ line, message: inOneLine(error) });
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

function inOneLine(error: unknown): string {
  if (!(error instanceof MillraceError)) return (error as Error).message;
  return error.hint === undefined ? error.reason : `${error.reason}; ${error.hint}`;
}
