import { MillraceError } from "../errors/errors.ts";
import { isPlainObject } from "../values/state-json.ts";
import { EnvironmentProvider } from "./environment-provider.ts";
import { keepEnv } from "./kept-env.ts";

/** The least an inference env holds. */
export interface InferenceEnv {
  readonly dataset: unknown;
  readonly model: unknown;
}

/** What an {@link InferenceProvider} takes as params: all of the env but what its two builders make. */
export type InferenceParams<Env extends InferenceEnv> = Omit<Env, "dataset" | "model">;

/**
 * A provider whose env is a dataset, a model and the params. A subclass has two static builders,
 * `buildDataset(config)` and `buildModel(config)`; `defineProvider(import.meta, MyProvider)` below it checks their types against
 * the env.
 */
export abstract class InferenceProvider<Env extends InferenceEnv, Config = unknown> extends EnvironmentProvider<
  Env,
  Config,
  InferenceParams<Env>
> {
  /** Only for the compiler, in `defineProvider`. */
  declare readonly "~types": { readonly env: Env; readonly config: Config };

  /**
   * Builds the env, or returns the one it has built: a program may look at the dataset before it starts a run, and the run
   * continues with the same objects.
   */
  buildEnvLocal(): Promise<Env> {
    return keepEnv(this, () => buildEnv(this));
  }
}

async function buildEnv<Env extends InferenceEnv, Config>(provider: InferenceProvider<Env, Config>): Promise<Env> {
  const { config, params } = provider;
  const builders = checkBuilders<Env, Config>(provider.constructor);
  // At the same time, and no failure is lost.
  const [dataset, model, made] = await Promise.all([
    (async () => builders.buildDataset(config))(),
    (async () => builders.buildModel(config))(),
    makeTargets(params),
  ]);
  const env: InferenceEnv = { ...params, ...made, dataset, model };
  // Its params are all of the env but these two: the compiler does not put them together again.
  return env as Env;
}

/** What the params describe with `_target_`: a cleaner that a config names, for example. It is made where it is used. */
async function makeTargets(params: object): Promise<Record<string, unknown>> {
  const described = Object.entries(params).filter(
    ([, value]) => isPlainObject(value) && Object.hasOwn(value, "_target_"),
  );
  if (described.length === 0) return {};
  const { instantiate } = await import("../config/instantiate.ts");
  const made = described.map(async ([key, value]) => [key, await instantiate(value)] as const);
  return Object.fromEntries(await Promise.all(made));
}

/** The static side of an inference provider. */
interface InferenceBuilders<Env extends InferenceEnv, Config = unknown> {
  readonly buildDataset: (config: Config) => Env["dataset"] | Promise<Env["dataset"]>;
  readonly buildModel: (config: Config) => Env["model"] | Promise<Env["model"]>;
}

function checkBuilders<Env extends InferenceEnv, Config>(
  builders: Partial<InferenceBuilders<Env, Config>> & { readonly name: string },
): InferenceBuilders<Env, Config> {
  const missing = (["buildDataset", "buildModel"] as const).find((name) => typeof builders[name] !== "function");
  if (missing === undefined) return builders as InferenceBuilders<Env, Config>;
  throw new MillraceError("BAD_PROVIDER", `${builders.name} has no static ${missing}(config).`, {
    hint: `Add it, or extend EnvironmentProvider and return the whole env from buildEnvLocal.`,
  });
}
