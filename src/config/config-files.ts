import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { SourcePosition } from "./config-node.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { recipeOf } from "./recipe-template.ts";

/** The files that a config was read from. */
export interface ConfigFiles {
  /** The config that was asked for. */
  readonly main: string;
  /** Whether it was merged over a template, whose `${self_name:}` is then the name of this config. */
  readonly hasTemplate: boolean;
  /** The YAML files whose values are being read by `load_yaml`, to detect one that reads itself. */
  readonly open: readonly string[];
  /** Called with the path of each YAML file besides the main one, before its values are used. */
  readonly onRead?: ((path: string) => void) | undefined;
  /** The setup file of the project, if it was not run. A resolver that is not known may be one of it. */
  readonly skippedSetup?: string | undefined;
}

/** The file in which a value was written. Undefined for an override, which is in none. */
export function fileOf({ source, line }: SourcePosition): string | undefined {
  return line === undefined ? undefined : source;
}

/** The folder that a path in a config is relative to: that of its file; the working directory for an override. */
export function baseOf(position: SourcePosition): string {
  const file = fileOf(position);
  return file === undefined ? process.cwd() : realPathOf(dirname(resolve(file)));
}

/**
 * The path without links, if a config may read this file: inside the project or the recipe of the config, and hidden
 * neither itself nor by a folder on the way. Throws otherwise, and if there is no such file.
 */
export function readablePath(path: string, config: string): string {
  const folder = realPathOf(readableFolder(config));
  const real = realpathSync(path);
  const way = relative(folder, real);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new Error(`${path} is outside of ${folder}, and a config reads no files outside of its project`);
  }
  if (way.split(sep).some((name) => name.startsWith("."))) {
    throw new Error(`${path} is hidden, and a config reads no hidden files: they often hold secrets`);
  }
  return real;
}

/** The project of a config. The recipe of ESPnet3 that it belongs to, if no package.json is above that. */
function readableFolder(config: string): string {
  const project = findProjectRoot(config);
  const recipe = recipeOf(config)?.folder;
  const isInside = recipe === undefined || !relative(realPathOf(project), recipe).startsWith("..");
  return isInside ? project : recipe;
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
