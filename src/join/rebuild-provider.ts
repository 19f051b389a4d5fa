import { isDeepStrictEqual } from "node:util";
import { assignProject } from "../config/project-of.ts";
import type { EnvironmentProvider } from "../provider/environment-provider.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import type { RunSpec } from "../store/run-spec.ts";

type ProviderClass = new (config: unknown, params: unknown) => EnvironmentProvider<object>;

/** Makes a provider again, in a worker, from what the driver wrote down of it. */
export function rebuildProvider(providerClass: ProviderClass, spec: RunSpec): EnvironmentProvider<object> {
  const { config, params, project, providerFields } = spec;
  if (project !== undefined) assignProject([config, params], project);
  const { name } = spec.provider;
  let provider: EnvironmentProvider<object>;
  try {
    provider = new providerClass(config, params);
  } catch (cause) {
    throw notRebuildable(name, `its constructor failed: ${messageOf(cause)}`, cause);
  }
  if (typeof provider.buildWorkerSetupFn !== "function") throw notRebuildable(name, "it is not a provider");
  if (!isDeepStrictEqual(provider.config, config) || !isDeepStrictEqual(provider.params, params))
    throw notRebuildable(name, "its constructor does something else with its two arguments");
  const missing = providerFields.find((field) => Reflect.get(provider, field) === undefined);
  if (missing !== undefined) throw notRebuildable(name, `its field ${missing} was set after it was made`);
  return provider;
}

function notRebuildable(name: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError(
    "BAD_PROVIDER",
    `${name} cannot be made again in a worker from its config and params: ${why}.`,
    {
      cause,
      hint: `A worker calls \`new ${name}(config, params)\`. Keep the constructor of the base class, put everything the provider needs into config or params, and build the rest in buildEnvLocal.`,
    },
  );
}
