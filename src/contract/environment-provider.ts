import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";
import { forgetEnv } from "./kept-env.ts";
import type { OfSubclass } from "./runner-hooks.ts";

/** Builds the env of one worker. */
export type WorkerSetup<Env> = () => Env | Promise<Env>;

/**
 * Builds what `forward` needs (dataset, model, helpers) once per worker. A subclass implements `buildEnvLocal`;
 * `forward` gets the object that it returns.
 *
 * A subclass may have two statics: with `module = import.meta.url` a worker process finds the class (not needed while
 * `env` is `local`); `version` is raised when the env changes in a way that makes earlier outputs wrong.
 *
 * @typeParam Env - the object that `forward` gets
 * @typeParam Config - the config the provider is made from
 * @typeParam Params - run-time arguments (paths, splits, …) in addition to the config
 */
export abstract class EnvironmentProvider<Env extends object, Config = unknown, Params extends object = object> {
  readonly config: Config;
  readonly params: Params;

  /** The params may be left out if none of them is required. */
  constructor(config: Config, ...[params]: object extends Params ? [params?: Params] : [params: Params]) {
    this.config = config;
    this.params = params ?? ({} as Params);
  }

  /** Builds the env in this process. */
  abstract buildEnvLocal(): Env | Promise<Env>;

  /**
   * Returns a function that builds the env in a worker. By default it calls `buildEnvLocal` of a provider that the
   * worker has rebuilt from its module, config and params. Override it if the env of a worker differs from the local
   * one.
   */
  buildWorkerSetupFn(): WorkerSetup<Env> {
    return () => this.buildEnvLocal();
  }

  /** Called once per worker when it leaves, to close files or free a device. Default: does nothing. */
  teardown(_env: Env): void | Promise<void> {}
}

/** The env that a provider builds: `EnvOf<MyProvider>`. */
export type EnvOf<Provider> = Provider extends EnvironmentProvider<infer Env, OfSubclass, OfSubclass> ? Env : never;

/** Builds the env of a run in this process. */
export async function buildLocalEnv<Env extends object>(provider: EnvironmentProvider<Env>): Promise<Env> {
  const env = await guardBuild(provider, () => provider.buildEnvLocal());
  forgetEnv(provider);
  return checkEnv(provider, "buildEnvLocal", env);
}

/** Builds the env of a worker with the function that `buildWorkerSetupFn` returns. */
export async function buildWorkerEnv<Env extends object>(provider: EnvironmentProvider<Env>): Promise<Env> {
  // Wrapped in an object, so that a promise that is returned by mistake is refused below instead of awaited.
  const { setup } = await guardBuild(provider, () => ({ setup: provider.buildWorkerSetupFn() as unknown }));
  if (typeof setup !== "function") {
    throw new MillraceError("BAD_PROVIDER", `${nameOf(provider)}.buildWorkerSetupFn returned ${describeKind(setup)}.`, {
      hint: "Return a function that builds the env, `return () => ({ model: loadModel(config) })`: it is called in each worker.",
    });
  }
  return checkEnv(provider, "buildWorkerSetupFn", await guardBuild(provider, setup as WorkerSetup<Env>));
}

async function guardBuild<Env>(provider: object, build: WorkerSetup<Env>): Promise<Env> {
  try {
    return await build();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new MillraceError("ENV_FAILED", `${nameOf(provider)} could not build the env: ${text}`, {
      cause,
      hint: "Nothing was run. Correct the provider or its config, then run again.",
    });
  }
}

function checkEnv<Env>(provider: object, method: string, env: Env): Env {
  if (typeof env === "object" && env !== null && !Array.isArray(env)) return env;
  throw new MillraceError("BAD_PROVIDER", `${nameOf(provider)}.${method} gave ${describeKind(env)} as the env.`, {
    hint: "Return an object with the keys that forward reads, such as { dataset, model }.",
  });
}

function nameOf(provider: object): string {
  return provider.constructor.name;
}
