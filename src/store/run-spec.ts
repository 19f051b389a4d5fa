import { describeKind, isPlainObject } from "../shared/state-json.ts";
import { replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** How a worker finds a class: the module that exports it and its name there. */
interface ClassReference {
  readonly module: string | undefined;
  readonly name: string;
}

/** What a worker needs besides the plan. JSON only: never code. */
export interface RunSpec {
  readonly version: 1;
  readonly runner: ClassReference;
  readonly provider: ClassReference;
  readonly config: unknown;
  readonly params: unknown;
  readonly options: object;
}

/** Writes the spec of the run as it is carried out now; a resume may change the options. */
export function writeSpec(paths: RunPaths, spec: RunSpec): void {
  // Live objects in the params of a run in one process cannot be handed to a worker; their names tell that they were there.
  const content = JSON.stringify(
    spec,
    (_key, value: unknown) => (isJson(value) ? value : `[${describeKind(value)}]`),
    1,
  );
  replaceFileQuickly(paths.spec, `${content}\n`);
}

function isJson(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Array.isArray(value) || isPlainObject(value);
  return typeof value !== "bigint" && typeof value !== "function";
}
