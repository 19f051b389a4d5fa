import { MillraceError } from "../shared/errors.ts";
import { EnvironmentProvider } from "./environment-provider.ts";

/** The least an inference env holds. */
export interface InferenceEnv {
  readonly dataset: unknown;
  readonly model: unknown;
}

/** What an {@link InferenceProvider} takes as params: all of the env but what its two builders make. */
export type InferenceParams<Env extends InferenceEnv> = Omit<Env, "dataset" | "model">;

/**
 * A provider whose env is a dataset, a model and the params. A subclass has two static builders,
 * `buildDataset(config)` and `buildModel(config)`; write `MyProvider satisfies InferenceProviderClass<MyEnv, MyConfig>`
 * below it to have their types checked against the env.
 */
export abstract class InferenceProvider<Env extends InferenceEnv, Config = unknown> extends EnvironmentProvider<
  Env,
  Config,
  InferenceParams<Env>
> {
  async buildEnvLocal(): Promise<Env> {
    const builders = checkBuilders(this.constructor as unknown as InferenceProviderClass<Env, Config>);
    // At the same time, and neither's failure goes unheard.
    const [dataset, model] = await Promise.all([
      (async () => builders.buildDataset(this.config))(),
      (async () => builders.buildModel(this.config))(),
    ]);
    return { ...this.params, dataset, model } as unknown as Env;
  }
}

/** The static side of an inference provider for a given env and config. */
export interface InferenceProviderClass<Env extends InferenceEnv, Config = unknown> {
  readonly buildDataset: (config: Config) => Env["dataset"] | Promise<Env["dataset"]>;
  readonly buildModel: (config: Config) => Env["model"] | Promise<Env["model"]>;
}

function checkBuilders<Builders extends object>(builders: Builders & { readonly name?: string }): Builders {
  const missing = ["buildDataset", "buildModel"].find((name) => typeof Reflect.get(builders, name) !== "function");
  if (missing === undefined) return builders;
  throw new MillraceError("BAD_PROVIDER", `${builders.name} has no static ${missing}(config).`, {
    hint: `Add it, or extend EnvironmentProvider and return the whole env from buildEnvLocal.`,
  });
}
