import { basename, dirname } from "node:path";
import { applyOverrides } from "./apply-overrides.ts";
import { checkLoadArguments } from "./check-load-arguments.ts";
import { configError } from "./config-error.ts";
import { ConfigFolder, type FolderConfig } from "./config-folder.ts";
import { type ConfigNode, copyNode, type MapNode, makeMap, setEntry } from "./config-node.ts";
import { listDefaults } from "./defaults-tree.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { GroupChoices, splitGroupOverrides } from "./group-choices.ts";
import { mergeNodes } from "./merge-nodes.ts";
import { nearestFile } from "./nearest-file.ts";
import { type Override, parseOverride } from "./parse-override.ts";
import { assignProject } from "./project-of.ts";
import { templateOf } from "./recipe-template.ts";
import { resolveConfig, tryDereference } from "./resolve-config.ts";
import { toPlain } from "./to-plain.ts";

/** Options of {@link loadConfig}. */
export interface LoadConfigOptions {
  /** Keeps values that are `???`. Default: false, which makes them an error. */
  readonly allowMissing?: boolean;
  /** The time of `${now:…}`. Default: the current time, the same for the whole config. */
  readonly now?: Date;
  /** The variables of `${oc.env:…}`. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Makes a value that is `???` or that cannot be resolved an error where it is read, as in OmegaConf. Default: false,
   * which makes it an error of `loadConfig`.
   */
  readonly lazy?: boolean;
  /**
   * The config over which this one is merged, as ESPnet3 merges a recipe's config over its TEMPLATE's; null for none.
   * Default: for a config in `egs3/CORPUS/SYSTEM/conf`, that of `egs3/TEMPLATE/SYSTEM/conf`; none for any other.
   */
  readonly template?: string | null;
}

/** Options of the commands. */
export interface ReadOptions extends LoadConfigOptions {
  /** Called with the path of each YAML file besides the config itself, before its values are used. */
  readonly onRead?: (path: string) => void;
  /** The setup file of the project, if it was not run. A resolver that is not known may be one of it. */
  readonly skippedSetup?: string;
}

/** A deeply read-only type, like a loaded config. */
export type Frozen<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/**
 * Reads a YAML config as OmegaConf and Hydra do: defaults list, overrides (`model.size=3`, `+new=1`, `~old`,
 * `model=large`), interpolations. The result is plain and deeply frozen; {@link positionOf} returns where each value
 * was written. A mistake is a `MillraceError` with the code `BAD_CONFIG` that names the file, line and column.
 */
export async function loadConfig<T = Record<string, unknown>>(
  path: string,
  overrides: readonly string[] = [],
  options: ReadOptions = {},
): Promise<Frozen<T>> {
  const config = toPlain(await loadConfigNodes(path, overrides, options));
  // For values from overrides: they are in no file.
  assignProject(config, findProjectRoot(path));
  return config as Frozen<T>;
}

/** The config as nodes, in which floats and integers differ. */
export async function loadConfigNodes(
  path: string,
  overrides: readonly string[] = [],
  options: ReadOptions = {},
): Promise<ConfigNode> {
  checkLoadArguments(path, overrides, options);
  const { lazy, template = templateOf(path) ?? null, onRead, skippedSetup } = options;
  const files = { main: path, hasTemplate: template !== null, open: [], onRead, skippedSetup };
  const resolveOptions = { now: new Date(), env: process.env, ...options, files, isLazy: lazy ?? false };
  const follow = (node: ConfigNode) => tryDereference(node, resolveOptions);
  const { folder, primary } = await openConfig(path, onRead);
  const isGroup = async (name: string) => (await folder.choicesOf(name)).length > 0;
  const { groups, values } = await splitGroupOverrides(overrides.map(parseOverride), isGroup);
  const composed = await composeConfig(folder, primary, groups, follow);
  const root = template === null ? composed : await composeTemplate(template, follow, onRead);
  if (root !== composed) mergeNodes(root, composed, { follow });
  applyOverrides(root, values, follow);
  return resolveConfig(root, resolveOptions);
}

type Follow = (node: ConfigNode) => ConfigNode | undefined;

async function composeTemplate(path: string, follow: Follow, onRead: ReadOptions["onRead"]): Promise<MapNode> {
  onRead?.(path);
  const { folder, primary } = await openConfig(path, onRead);
  return composeConfig(folder, primary, [], follow);
}

async function openConfig(path: string, onRead: ReadOptions["onRead"]) {
  const folder = new ConfigFolder(dirname(path), onRead);
  const primary = await folder.loadFile(basename(path));
  if (primary !== undefined) return { folder, primary };
  const near = nearestFile(path);
  throw configError({ source: path }, "There is no such file.", {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}Paths are relative to the working directory.`,
  });
}

/** Merges a config with the configs of its defaults list. */
async function composeConfig(
  folder: ConfigFolder,
  primary: FolderConfig,
  groupOverrides: readonly Override[],
  follow: Follow,
): Promise<MapNode> {
  const choices = new GroupChoices(groupOverrides);
  const composed = makeMap(primary.root.position);
  for (const { root, package: place } of await listDefaults(folder, primary, choices)) {
    // Copied: the same file may be merged at several positions.
    mergeNodes(composed, embed(copyNode(root), place), { follow });
  }
  return composed;
}

function embed(content: MapNode, place: string): MapNode {
  return place
    .split(".")
    .filter((key) => key !== "")
    .reduceRight((inner, key) => {
      const outer = makeMap(inner.position);
      setEntry(outer, key, inner);
      return outer;
    }, content);
}
