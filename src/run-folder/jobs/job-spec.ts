import { resolve } from "node:path";
import { MillraceError } from "../../errors/errors.ts";
import { readSmallFile } from "../files/read-small-file.ts";

/** One task of a submitted run, as a file in `asyncSpecsDir` describes it. */
export interface JobSpec {
  readonly runDir: string;
  /** The submission that the task belongs to, and its number in it. */
  readonly name: string;
  readonly task: number;
}

const format = "millrace-job";
const maxSpecBytes = 256 << 20;

/** The text of such a file. `spec`: the spec of the run, which its workers read. */
export function formatJobSpec(job: JobSpec & Readonly<Record<string, unknown>>, spec: unknown): string {
  return `${JSON.stringify({ format, version: 1, ...job, spec }, null, 1)}\n`;
}

/** Reads such a file. */
export function readJobSpec(path: string): JobSpec {
  const read = readSmallFile(path, maxSpecBytes);
  if (read === undefined) throw notASpec(path, "it is not there");
  if (read.problem !== undefined) throw notASpec(path, read.problem);
  let found: Partial<Record<keyof JobSpec | "format" | "version", unknown>> | null;
  try {
    found = JSON.parse(read.text) as typeof found;
  } catch {
    throw notASpec(path, "it is not JSON");
  }
  if (found?.format !== format) throw notASpec(path, "it was not written by millrace");
  if (found.version !== 1) throw notASpec(path, `this millrace reads version 1 of it, not ${String(found.version)}`);
  const { runDir, name, task } = found;
  if (typeof runDir !== "string" || typeof name !== "string" || !Number.isSafeInteger(task) || (task as number) < 0)
    throw notASpec(path, "it names no run folder, submission or task");
  return { runDir: resolve(runDir), name, task: task as number };
}

function notASpec(path: string, why: string): MillraceError {
  return new MillraceError("BAD_USAGE", `${path} does not describe a task of a run: ${why}.`, {
    hint: "Name the run folder, or a file that submit has written into asyncSpecsDir.",
  });
}
