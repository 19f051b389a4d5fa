import { MillraceError } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";
import type { OwnOptions } from "./class-options.ts";
import type { Awaitable, RunnerHooks, RunnerTraits } from "./runner-hooks.ts";

/** The statics of a class that may be read. */
export interface ClassStatics {
  readonly name: string;
  readonly module?: string;
  readonly version?: string | number;
  /** If `defineRun` has made the class: the position of the definition in its module. */
  readonly definition?: number;
}

/** The static side of a runner. */
export interface RunnerStatics extends RunnerHooks, ClassStatics {
  readonly ownOptions?: OwnOptions;
  openWriters(shardDir: string, env: object, own?: object): unknown;
  writeRecord(...args: never[]): unknown;
  isShardDone(shardDir: string): Awaitable<boolean>;
}

export function checkRunner(runner: ClassStatics): RunnerStatics {
  if (hasForward(runner)) return checkWriteBatch(runner);
  const near = nearestName("forward", Object.getOwnPropertyNames(runner));
  throw new MillraceError("BAD_RUNNER", `${runner.name} has no static forward(idx, env).`, {
    hint: `${near === undefined ? "" : `It has ${near}: is it meant to be forward? `}Add \`static forward(idx: number, env: Env) { … }\` to the class; a method without \`static\` is not found.`,
  });
}

// The other hooks have defaults. A class without them does not extend BaseRunner, and fails when they are called.
function hasForward(runner: ClassStatics): runner is RunnerStatics {
  return typeof (runner as Partial<RunnerStatics>).forward === "function";
}

/** Refuses other hooks for results beside `writeBatch`: they would never be called. */
function checkWriteBatch(runner: RunnerStatics): RunnerStatics {
  if (runner.writeBatch === undefined) return runner;
  if (typeof runner.writeBatch !== "function") {
    throw new MillraceError("BAD_RUNNER", `${runner.name}.writeBatch is ${describeKind(runner.writeBatch)}.`, {
      hint: "Write `static writeBatch(writers, results, state, env) { … }`.",
    });
  }
  const base = baseOf(runner);
  const unused = (["reduceState", "writeRecord"] as const).find((hook) => runner[hook] !== base[hook]);
  if (unused === undefined) return runner;
  throw new MillraceError("BAD_RUNNER", `${runner.name} has both writeBatch and ${unused}.`, {
    hint: `With writeBatch, ${unused} would not be called. Keep writeBatch to get the results of a batch, or ${unused} to get them one by one.`,
  });
}

/** Finds out which hooks of a runner are the defaults. */
export function traitsOf(runner: RunnerStatics): RunnerTraits {
  const base = baseOf(runner);
  const keeps = (...hooks: (keyof RunnerStatics)[]) => hooks.every((hook) => runner[hook] === base[hook]);
  return {
    standardWriters: keeps("openWriters"),
    standardFiles: keeps(
      "openWriters",
      "writeRecord",
      "writeBatch",
      "closeWriters",
      "initState",
      "reduceState",
      "finalizeState",
    ),
    isShardDone: keeps("isShardDone") ? undefined : (dir) => runner.isShardDone(dir),
  };
}

// Not imported but found through the class: a worker may have loaded another copy of this package than the user's code.
function baseOf(runner: RunnerStatics): RunnerStatics {
  let base = runner;
  for (;;) {
    const above = Object.getPrototypeOf(base) as RunnerStatics;
    if (above === (Function.prototype as unknown)) return base;
    base = above;
  }
}

/** The text for a class in the identity of a run, with its version. */
export function identityOf({ name, version }: ClassStatics): string {
  return version === undefined ? name : `${name} version ${version}`;
}
