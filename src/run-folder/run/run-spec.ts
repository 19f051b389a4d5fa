import type { OnCodeChange } from "../../code/compare-code.ts";
import { errnoOf, isMillraceError, MillraceError } from "../../errors/errors.ts";
import { EnvironmentValue, expressionFor } from "../../secrets/origins.ts";
import type { DecodeRules } from "../../values/decode-value.ts";
import type { ProviderState } from "../../values/provider-state.ts";
import { describeKind, fromPlainValues, toPlainValues } from "../../values/state-json.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";

/** How a worker finds a class: its module and its name there. */
export interface ClassReference {
  readonly module: string | undefined;
  readonly name: string;
  /** For a class that `defineRun` has made: which of the module's definitions it belongs to, from 0. */
  readonly definition?: number | undefined;
}

/** What a worker needs besides the plan. Only JSON, no code. */
export interface RunSpec {
  /**
   * 1 in runs of earlier versions, which did not store the provider's fields; 3 where values come from the environment
   * of each worker.
   */
  readonly version: 1 | 2 | 3;
  readonly runner: ClassReference;
  readonly provider: ClassReference;
  /** The provider's fields besides config and params. Absent in runs of earlier versions. */
  readonly providerState?: ProviderState | undefined;
  /** The names of the provider's fields, in runs of earlier versions only. */
  readonly providerFields?: readonly string[] | undefined;
  readonly config: unknown;
  readonly params: unknown;
  /**
   * The folder from which targets in config and params are resolved, if they came from a config file. Absent in runs of
   * earlier versions.
   */
  readonly project?: string | undefined;
  readonly options: object;
  /** The options as they were passed to the runner; it is rebuilt with them. */
  readonly runnerOptions: object;
  /** The own options of the runner, checked and with defaults. Absent in runs of earlier versions. */
  readonly ownOptions?: object;
  /** Where the workers of the last start run; not part of the run's identity. */
  readonly parallel: object;
  /** What a worker does if its code differs from the run's. Absent: it depends on which files differ. */
  readonly onCodeChange?: OnCodeChange | undefined;
  /** Who may read the spec besides its owner. Absent: no other user. */
  readonly access?: "group" | undefined;
  /** The folder in which the run was started. Packages are resolved from there. */
  readonly cwd: string;
}

// The parts of a spec that hold values of the user.
const madeByUser = /^spec\.(?:config|params|runnerOptions|ownOptions|providerState\.fields|parallel\.options)\b/;

/** Writes the spec of this start; a resume may change the options. */
export function writeSpec(paths: RunPaths, spec: RunSpec): void {
  // The params of a run in one process may contain functions and objects that JSON cannot hold. Only their kind is stored.
  const describe = (value: unknown) => `[${describeKind(value)}]`;
  let isFromEnvironment = false;
  const plain = toPlainValues(spec, "spec", describe, {
    keepsFunctions: true,
    expressionFor({ holder, key, value, path }) {
      const expression = madeByUser.test(path) ? expressionFor(holder, key, value) : undefined;
      isFromEnvironment ||= expression !== undefined || value instanceof EnvironmentValue;
      return expression;
    },
  }) as object;
  // Version 2 does not know values from the environment; programs of that version can read a spec without any.
  const text = JSON.stringify({ ...plain, version: isFromEnvironment ? 3 : 2 }, null, 1);
  replaceInRun(paths.root, paths.spec, `${text}\n`, { mode: spec.access === "group" ? 0o640 : 0o600 });
}

/** Whether this user may read the spec. That of another user's run may be protected. */
export function hasReadableSpec(paths: RunPaths): boolean {
  try {
    return readIfPresent(paths.spec) !== undefined;
  } catch (error) {
    if (errnoOf(error) === "EACCES") return false;
    throw error;
  }
}

/** Reads the spec that the driver of a run has written. */
export function readSpec(paths: RunPaths, rules: DecodeRules = {}): RunSpec {
  const text = readText(paths);
  if (text === undefined) {
    throw new MillraceError("RUN_NOT_FOUND", `There is no run to join in ${paths.root}.`, {
      hint: "Name the folder that holds manifest.json: outputDir, or outputDir/shardSubdir. The run must have been started.",
    });
  }
  try {
    const spec = fromPlainValues(JSON.parse(text), rules) as RunSpec;
    if (isSpec(spec)) return spec;
  } catch (error) {
    // These two codes say that an instance or a value from the environment could not be restored. For all other errors
    // the general one below is thrown.
    if (isMillraceError(error) && ["BAD_PROVIDER", "ENV_FAILED"].includes(error.code)) throw error;
  }
  throw new MillraceError("RUN_DAMAGED", `${paths.spec} is not a run's spec of this version.`, {
    hint: "Start the run again from its script: that writes the spec again.",
  });
}

function isSpec(spec: RunSpec): boolean {
  const { version, runner, provider, cwd, project, providerState, providerFields, onCodeChange } = spec;
  const isReference = (one: ClassReference) =>
    typeof one.name === "string" &&
    (one.module === undefined || (typeof one.module === "string" && one.module !== "")) &&
    (one.definition === undefined || Number.isSafeInteger(one.definition));
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  return (
    [1, 2, 3].includes(version) &&
    isReference(runner) &&
    isReference(provider) &&
    typeof cwd === "string" &&
    [spec.options, spec.runnerOptions, spec.parallel].every(isObject) &&
    [spec.ownOptions, providerState].every((value) => value === undefined || isObject(value)) &&
    (providerState === undefined ||
      [providerState.fields, providerState.made, providerState.missing].every(isObject)) &&
    [project, onCodeChange].every((value) => value === undefined || typeof value === "string") &&
    (providerFields === undefined || Array.isArray(providerFields))
  );
}

function readText(paths: RunPaths): string | undefined {
  try {
    return readIfPresent(paths.spec);
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    throw new MillraceError("RUN_FOREIGN", `Only the owner of the run may read ${paths.spec}.`, {
      cause: error,
      hint: 'Have its owner start it with specAccess: "group", or start it from its own script, which needs no spec.',
    });
  }
}
