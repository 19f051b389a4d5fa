import type { OnCodeChange } from "../code/compare-code.ts";
import type { OnInstance } from "../shared/decode-value.ts";
import { isMillraceError, MillraceError } from "../shared/errors.ts";
import type { ProviderState } from "../shared/provider-state.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../shared/state-json.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";

/** How a worker finds a class: the module that exports it and its name there. */
export interface ClassReference {
  readonly module: string | undefined;
  readonly name: string;
}

/** What a worker needs besides the plan. JSON only: never code. */
export interface RunSpec {
  /** 1 in runs of earlier versions, which did not write down what a provider carries. */
  readonly version: 1 | 2;
  readonly runner: ClassReference;
  readonly provider: ClassReference;
  /** What the provider carries besides config and params. Absent in runs of earlier versions. */
  readonly providerState?: ProviderState | undefined;
  /** The names of the provider's fields, in runs of earlier versions only. */
  readonly providerFields?: readonly string[] | undefined;
  readonly config: unknown;
  readonly params: unknown;
  /** Where the targets in them are looked for, if they came from a config's file. Absent in runs of earlier versions. */
  readonly project?: string | undefined;
  readonly options: object;
  /** The options as the runner was given them, to make it again. */
  readonly runnerOptions: object;
  /** Of them those that its class adds, checked and with defaults. Absent where a run was begun by an earlier version. */
  readonly ownOptions?: object;
  /** Where the workers of the last start were to run; not part of the run's identity. */
  readonly parallel: object;
  /** What a worker does that finds other code than the run's. Absent: it depends on which files differ. */
  readonly onCodeChange?: OnCodeChange | undefined;
  /** Where the run was started: packages are looked for from there. */
  readonly cwd: string;
}

/** Writes the spec of the run as it is carried out now; a resume may change the options. */
export function writeSpec(paths: RunPaths, spec: RunSpec): void {
  // Live objects in the params of a run in one process cannot be handed to a worker; their names tell that they were there.
  const plain = toPlainValues(spec, "spec", (value) => `[${describeKind(value)}]`);
  replaceFileQuickly(paths.spec, `${JSON.stringify(plain, null, 1)}\n`);
}

/** Reads the spec that the driver of a run has written. Instances are what `onInstance` makes of them. */
export function readSpec(paths: RunPaths, onInstance?: OnInstance): RunSpec {
  const text = readIfPresent(paths.spec);
  if (text === undefined) {
    throw new MillraceError("RUN_NOT_FOUND", `There is no run to join in ${paths.root}.`, {
      hint: "Name the folder that holds manifest.json: outputDir, or outputDir/shardSubdir. The run must have been started.",
    });
  }
  try {
    const spec = fromPlainValues(JSON.parse(text), onInstance) as RunSpec;
    if (
      (spec.version === 1 || spec.version === 2) &&
      typeof spec.runner.name === "string" &&
      typeof spec.provider.name === "string"
    )
      return spec;
  } catch (error) {
    // An instance could not be made. Any other failure gets the general error below.
    if (isMillraceError(error) && error.code === "BAD_PROVIDER") throw error;
  }
  throw new MillraceError("RUN_DAMAGED", `${paths.spec} is not a run's spec of this version.`, {
    hint: "Start the run again from its script: that writes the spec anew.",
  });
}
