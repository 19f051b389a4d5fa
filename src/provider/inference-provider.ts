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
 * A provider whose env is a dataset, a model and the params. A subclass has two static builders; write
 * `MyProvider satisfies InferenceProviderClass<MyEnv, MyConfig>` below it to have their types checked against the env.
 */
export abstract class InferenceProvider<Env extends InferenceEnv, Config = unknown> extends EnvironmentProvider<
  Env,
  Config,
  InferenceParams<Env>
> {
  static buildDataset(_config: never): unknown {
    throw notImplemented(this.name, "buildDataset");
  }

  static buildModel(_config: never): unknown {
    throw notImplemented(this.name, "buildModel");
  }

  async buildEnvLocal(): Promise<Env> {
    const builders = this.constructor as unknown as InferenceProviderClass<Env, Config>;
    const [dataset, model] = await Promise.all([builders.buildDataset(this.config), builders.buildModel(this.config)]);
    return { ...this.params, dataset, model } as unknown as Env;
  }
}

/** The static side of an inference provider for a given env and config. */
export interface InferenceProviderClass<Env extends InferenceEnv, Config = unknown> {
  buildDataset(config: Config): Env["dataset"] | Promise<Env["dataset"]>;
  buildModel(config: Config): Env["model"] | Promise<Env["model"]>;
}

function notImplemented(name: string, method: string): MillraceError {
  return new MillraceError("BAD_PROVIDER", `${name} has no static ${method}(config).`, {
    hint: `Add it, or extend EnvironmentProvider and return the whole env from buildEnvLocal.`,
  });
}
