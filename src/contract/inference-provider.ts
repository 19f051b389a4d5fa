import { MillraceError } from "../errors/errors.ts";
import { isPlainObject } from "../values/state-json.ts";
import { EnvironmentProvider } from "./environment-provider.ts";
import { keepEnv } from "./kept-env.ts";

/** The keys that every inference env has. */
export interface InferenceEnv {
  readonly dataset: unknown;
  readonly model: unknown;
}

/** The params of an {@link InferenceProvider}: all keys of the env except those that its two builders make. */
export type InferenceParams<Env extends InferenceEnv> = Omit<Env, "dataset" | "model">;

/**
 * A provider whose env is a dataset, a model and the params. A subclass has two static builders,
 * `buildDataset(config)` and `buildModel(config)`; `defineProvider(import.meta, MyProvider)` below it checks their
 * types against the env.
 */
export abstract class InferenceProvider<Env extends InferenceEnv, Config = unknown> extends EnvironmentProvider<
  Env,
  Config,
  InferenceParams<Env>
> {
  /** Used only by the compiler, in `defineProvider`. */
  declare readonly "~types": { readonly env: Env; readonly config: Config };

  /**
   * Builds the env, or returns the one it has already built: a program may use the dataset before it starts a run, and
   * the run then uses the same objects.
   */
  buildEnvLocal(): Promise<Env> {
    return keepEnv(this, () => buildEnv(this));
  }
}

async function buildEnv<Env extends InferenceEnv, Config>(provider: InferenceProvider<Env, Config>): Promise<Env> {
  const { config, params } = provider;
  const builders = checkBuilders<Env, Config>(provider.constructor);
  // In parallel; the async functions turn synchronous errors into rejections.
  const [dataset, model, made] = await Promise.all([
    (async () => builders.buildDataset(config))(),
    (async () => builders.buildModel(config))(),
    makeTargets(params),
  ]);
  const env: InferenceEnv = { ...params, ...made, dataset, model };
  // Params are all keys of the env but these two. The compiler cannot infer that together they are Env.
  return env as Env;
}

/** Makes the values that params describe with `_target_`, such as a cleaner that a config names. */
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
    hint: `Add it; or extend EnvironmentProvider and return the whole env from buildEnvLocal.`,
  });
}
