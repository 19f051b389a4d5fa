import { MillraceError } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { describeKind } from "../shared/state-json.ts";
import type { Awaitable, RunnerHooks, RunnerTraits } from "../worker/runner-hooks.ts";
import type { OwnOptions } from "./own-options.ts";

/** What is read from a class if it is there. */
export interface ClassStatics {
  readonly name: string;
  readonly module?: string;
  readonly version?: string | number;
}

/** The static side of a runner. */
export interface RunnerStatics extends RunnerHooks, ClassStatics {
  readonly ownOptions?: OwnOptions;
  openWriters(shardDir: string, env: object, own?: object): unknown;
  writeRecord(...args: never[]): unknown;
  isShardDone(shardDir: string): Awaitable<boolean>;
}

export function checkRunner(runner: RunnerStatics): RunnerStatics {
  if (typeof (runner as Partial<RunnerStatics>).forward === "function") return checkWriteBatch(runner);
  const near = nearestName("forward", Object.getOwnPropertyNames(runner));
  throw new MillraceError("BAD_RUNNER", `${runner.name} has no static forward(idx, env).`, {
    hint: `${near === undefined ? "" : `It has ${near}: is it meant to be forward? `}Add \`static forward(idx: number, env: Env) { … }\` to the class; a method without \`static\` is not found.`,
  });
}

/** With `writeBatch` no other hook gets results: one that is there would never be called. */
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
  throw new MillraceError("BAD_RUNNER", `${runner.name} has writeBatch and a ${unused} of its own.`, {
    hint: `With writeBatch, ${unused} would not be called. Keep writeBatch to get the results of a batch, or ${unused} to get them one by one.`,
  });
}

/** What a worker must know about a runner besides its hooks: which of them are the defaults. */
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

// Found from the class itself, not imported: a worker may have loaded another copy of this package than the user's code.
function baseOf(runner: RunnerStatics): RunnerStatics {
  let base = runner;
  for (;;) {
    const above = Object.getPrototypeOf(base) as RunnerStatics;
    if (above === (Function.prototype as unknown)) return base;
    base = above;
  }
}

/** How a class stands in the identity of a run: a raised version makes it another one. */
export function identityOf({ name, version }: ClassStatics): string {
  return version === undefined ? name : `${name} version ${version}`;
}
