import { EnvironmentProvider } from "../provider/environment-provider.ts";
import { MillraceError } from "../shared/errors.ts";
import type { Awaitable } from "../worker/runner-hooks.ts";
import { BaseRunner } from "./base-runner.ts";
import type { RunnerOptions } from "./runner-options.ts";

/** What a run is made of when two functions are enough. */
export interface RunDefinition<Env extends object, Result, Config> {
  /** Builds what `forward` needs, once a worker. */
  readonly buildEnv: (config: Config) => Env | Promise<Env>;
  /** What is done with one item; `null` or `undefined` drops it. */
  readonly forward: (idx: number, env: Env) => Awaitable<Result>;
  /** Raised when either function changes in a way that makes earlier outputs wrong; a resume then refuses. */
  readonly version?: string | number;
}

/** The config may be left out where `buildEnv` takes none. */
type ConfigArgument<Config> = unknown extends Config ? [config?: Config] : [config: Config];

/** The provider class that `defineRun` makes. */
export interface DefinedProvider<Env extends object, Config> {
  new (...args: ConfigArgument<Config>): EnvironmentProvider<Env, Config>;
}

/** The runner class that `defineRun` makes. */
export interface DefinedRunner<Env extends object, Result> {
  new (
    provider: EnvironmentProvider<Env>,
    options?: Omit<RunnerOptions, "batchSize" | "batchBy">,
  ): BaseRunner<Env, Result>;
}

/** Both classes, under the names that a worker looks for. */
export type DefinedRun<Name extends string, Env extends object, Result, Config> = {
  readonly [Key in `${Name}Provider`]: DefinedProvider<Env, Config>;
} & { readonly [Key in `${Name}Runner`]: DefinedRunner<Env, Result> };

/**
 * Makes a provider and a runner of two functions; what the one returns is what the other gets, and no type has to be written
 * down. Export both under their names, so that workers in other processes find them:
 *
 * ```ts
 * export const { LengthProvider, LengthRunner } = defineRun("Length", import.meta.url, {
 *   buildEnv: () => ({ words: ["one", "three"] }),
 *   forward: (idx, { words }) => ({ idx, length: words[idx]!.length }),
 * });
 * const records = await new LengthRunner(new LengthProvider()).run(range(2)); // { idx: number; length: number }[]
 * ```
 *
 * For batches, files of your own, a merge or options of your own, write the two classes: this is what they are without these.
 *
 * @param name - what both class names begin with
 * @param module - `import.meta.url` of the file that exports them
 */
export function defineRun<const Name extends string, Env extends object, Result, Config = unknown>(
  name: Name,
  module: string,
  definition: RunDefinition<Env, Result, Config>,
): DefinedRun<Name, Env, Result, Config> {
  if (!/^[A-Za-z]\w*$/.test(name)) {
    throw new MillraceError("BAD_OPTION", `defineRun got the name ${JSON.stringify(name)}.`, {
      hint: "Give a name that an export can have: Loudness makes LoudnessProvider and LoudnessRunner.",
    });
  }
  const { buildEnv, forward, version } = definition;
  class Provider extends EnvironmentProvider<Env, Config> {
    buildEnvLocal(): Env | Promise<Env> {
      return buildEnv(this.config);
    }
  }
  class Runner extends BaseRunner<Env, Result> {
    static forward(idx: number, env: Env): Awaitable<Result> {
      return forward(idx, env);
    }
  }
  const statics = { module, ...(version === undefined ? {} : { version }) };
  return Object.fromEntries(
    Object.entries({ Provider, Runner }).map(([kind, made]) => {
      // A worker finds a class by its name.
      Object.defineProperty(made, "name", { value: `${name}${kind}` });
      return [`${name}${kind}`, Object.assign(made, statics)];
    }),
  ) as unknown as DefinedRun<Name, Env, Result, Config>;
}
