import { statSync } from "node:fs";
import { MillraceError } from "../../index.ts";
import { manifestColumns } from "../manifest-columns.ts";
import { Manifest } from "./manifest.ts";
import type { SplitUtterances } from "./split-utterances.ts";

/** One problem of a manifest. */
export interface ManifestProblem {
  /** The number of the line, or of a dataset's row, from 1; 0 for the whole of it. */
  readonly line: number;
  readonly message: string;
}

export interface FindProblemsOptions {
  /** Also checks that the audio files exist. Default: false. */
  readonly files?: boolean;
}

/** All problems of a manifest, in the order of its lines. */
export function findManifestProblems(
  manifest: Manifest,
  { files = false }: FindProblemsOptions = {},
): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const { header } = manifest;
  const missing = ["utt_id", "wav_path"].filter((name) => header !== undefined && !header.includes(name));
  // Without the columns, the rows cannot be checked.
  if (missing.length > 0) return [{ line: 1, message: `the header has no column ${missing.join(", ")}` }];
  if (manifest.length === 0) problems.push({ line: 0, message: "it has no utterances" });
  const firstLines = new Map<string, number>();
  for (let idx = 0; idx < manifest.length; idx++) {
    const line = manifest.lineOf(idx);
    const say = (message: string) => problems.push({ line, message });
    if (!manifest.isText(idx)) say("it is not UTF-8; save the file in that encoding");
    const expected = header?.length ?? 4;
    const columns = manifest.fieldsAt(idx).length;
    if (columns !== expected) {
      say(
        `it has ${columns} column${columns === 1 ? "" : "s"}, not ${expected} (${(header ?? manifestColumns).join(", ")})`,
      );
      continue;
    }
    const { id, path } = manifest.at(idx);
    const before = firstLines.get(id);
    if (id.trim() === "") say("its utt_id is empty");
    else if (before === undefined) firstLines.set(id, line);
    else say(`its utt_id ${JSON.stringify(id)} is already in line ${before}`);
    if (manifest.fieldsAt(idx)[header?.indexOf("wav_path") ?? 1]!.trim() === "") say("its wav_path is empty");
    else if (files) checkFile(path, say);
  }
  return problems;
}

function checkFile(path: string, say: (message: string) => void): void {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) say(`${path} is not a file`);
    else if (stat.size === 0) say(`${path} is empty`);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    say(isMissing ? `there is no file ${path}` : `${path} cannot be read: ${(error as Error).message}`);
  }
}

// A longer list does not help the reader.
const maxShown = 20;

/** All problems of a split, in the order of its lines or rows. */
export async function findProblems(
  split: SplitUtterances,
  options: FindProblemsOptions = {},
): Promise<ManifestProblem[]> {
  return split instanceof Manifest ? findManifestProblems(split, options) : findRowProblems(split, options);
}

async function findRowProblems(
  split: SplitUtterances,
  { files = false }: FindProblemsOptions,
): Promise<ManifestProblem[]> {
  const problems: ManifestProblem[] = [];
  if (split.length === 0) problems.push({ line: 0, message: "it has no utterances" });
  const firstRows = new Map<string, number>();
  for (let idx = 0; idx < split.length; idx++) {
    const line = split.lineOf(idx);
    const say = (message: string) => problems.push({ line, message });
    try {
      const { id, row } = await split.at(idx);
      const before = firstRows.get(id);
      if (before === undefined) firstRows.set(id, line);
      else say(`its id ${JSON.stringify(id)} is already in row ${before}`);
      if (files && row?.file !== undefined) checkFile(row.file, say);
    } catch (error) {
      if (!(error instanceof MillraceError)) throw error;
      say(error.hint === undefined ? error.reason : `${error.reason} ${error.hint}`);
    }
  }
  return problems;
}

/** Refuses an invalid manifest or dataset and lists the wrong lines. Missing audio is found during the run. */
export async function requireSound(manifest: SplitUtterances): Promise<void> {
  const problems = await findProblems(manifest);
  if (problems.length === 0) return;
  const shown = problems.slice(0, maxShown).map((problem) => describeProblem(manifest.path, problem));
  if (problems.length > maxShown) shown.push(`… and ${problems.length - maxShown} more`);
  throw new MillraceError("BAD_FILE", `${manifest.path} cannot be used:\n${shown.join("\n")}`, {
    hint: "Correct these lines; `millrace xvector CONFIG --check` lists all of them, and missing audio too.",
  });
}

/** A problem with its position, in the format of compilers. */
export function describeProblem(path: string, { line, message }: ManifestProblem): string {
  return `${path}${line === 0 ? "" : `:${line}`}: ${message}`;
}
