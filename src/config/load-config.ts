import { basename, dirname } from "node:path";
import { applyOverrides } from "./apply-overrides.ts";
import { checkLoadArguments } from "./check-load-arguments.ts";
import { composeConfig } from "./compose-config.ts";
import { configError } from "./config-error.ts";
import { ConfigFolder } from "./config-folder.ts";
import type { ConfigNode } from "./config-node.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { splitGroupOverrides } from "./group-choices.ts";
import { nearestFile } from "./nearest-file.ts";
import { parseOverride } from "./parse-override.ts";
import { assignProject } from "./project-of.ts";
import { type ResolveOptions, resolveConfig, tryDereference } from "./resolve-config.ts";
import { toPlain } from "./to-plain.ts";

/** What `loadConfig` takes for the time and the environment, and whether values may be missing. */
export interface LoadConfigOptions {
  /** Leaves values that are `???` as they are. Default: false, which makes them an error. */
  readonly allowMissing?: boolean;
  /** The time of `${now:…}`. Default: the present, the same for the whole config. */
  readonly now?: Date;
  /** The variables of `${oc.env:…}`. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A type with everything in it read-only, as a loaded config is. */
export type Frozen<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/**
 * Reads a YAML config as OmegaConf and Hydra do: defaults list, overrides (`model.size=3`, `+new=1`, `~old`,
 * `model=large`), interpolations. The result is plain and deeply frozen; {@link positionOf} knows where each value was
 * written. A mistake is a `MillraceError` with the code `BAD_CONFIG` that names the file, line and column.
 */
export async function loadConfig<T = Record<string, unknown>>(
  path: string,
  overrides: readonly string[] = [],
  options: LoadConfigOptions = {},
): Promise<Frozen<T>> {
  const config = toPlain(await loadConfigNodes(path, overrides, options));
  // For what overrides have brought in: it stands in no file.
  assignProject(config, findProjectRoot(path));
  return config as Frozen<T>;
}

/** The same before it becomes plain: floats and integers can be told apart. */
export async function loadConfigNodes(
  path: string,
  overrides: readonly string[] = [],
  options: LoadConfigOptions = {},
): Promise<ConfigNode> {
  checkLoadArguments(path, overrides, options);
  const resolveOptions = { now: new Date(), env: process.env, ...options };
  const folder = new ConfigFolder(dirname(path));
  const primary = await folder.loadFile(basename(path));
  if (primary === undefined) {
    const near = nearestFile(path);
    throw configError({ source: path }, "There is no such file.", {
      hint: `${near === undefined ? "" : `Did you mean ${near}? `}Paths are relative to the working directory.`,
    });
  }
  const isGroup = async (name: string) => (await folder.choicesOf(name)).length > 0;
  const { groups, values } = await splitGroupOverrides(overrides.map(parseOverride), isGroup);
  const root = await composeConfig(folder, primary, groups, followWith(resolveOptions));
  applyOverrides(root, values, followWith(resolveOptions));
  return resolveConfig(root, resolveOptions);
}

function followWith(options: ResolveOptions): (node: ConfigNode) => ConfigNode | undefined {
  return (node) => tryDereference(node, options);
}
