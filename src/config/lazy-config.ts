import type { InstantiateOptions } from "./instantiate.ts";
import type { Frozen, LoadConfigOptions } from "./load-config.ts";

// Every worker imports this package before its first item but reads no config, so the config code is loaded on first
// use.

/**
 * Reads a YAML config as OmegaConf and Hydra do: defaults list, overrides (`model.size=3`, `+new=1`, `~old`,
 * `model=large`), interpolations. A config of an ESPnet3 recipe is merged over its template. The result is plain and
 * deeply frozen. A mistake is a `MillraceError` with the code `BAD_CONFIG` that names the file, line and column.
 */
export async function loadConfig<T = Record<string, unknown>>(
  path: string,
  overrides: readonly string[] = [],
  options: LoadConfigOptions = {},
): Promise<Frozen<T>> {
  const { loadConfig: load } = await import("./load-config.ts");
  return load<T>(path, overrides, options);
}

/**
 * Creates the objects that a section of a config describes with `_target_`: `./file.ts#Export`, `package#Export` or
 * `package/sub#Export`. Only files of the config's project, packages that its package.json lists (or `allow` names) and
 * the targets of this package can be used.
 */
export async function instantiate<T = unknown>(node: unknown, options: InstantiateOptions = {}): Promise<T> {
  const { instantiate: make } = await import("./instantiate.ts");
  return make<T>(node, options);
}
