import { readdirSync, realpathSync } from "node:fs";
import { join, parse, resolve, sep } from "node:path";

/** Where a config is in a tree of ESPnet3's recipes: `egs3/<corpus>/<system>/conf/…`. */
interface RecipePlace {
  readonly corpus: string;
  readonly system: string;
  /** The folder that contains `conf`. */
  readonly folder: string;
  /** The folder `egs3`. */
  readonly tree: string;
}

/** The recipe of ESPnet3 that a config belongs to. Undefined for any other config. */
export function recipeOf(config: string): RecipePlace | undefined {
  const parts = realPathOf(config).split(sep);
  const tree = parts.indexOf("egs3");
  const conf = tree === -1 ? -1 : parts.indexOf("conf", tree + 1);
  if (conf - tree < 3) return undefined;
  return {
    corpus: parts[tree + 1]!,
    system: parts[conf - 1]!,
    folder: parts.slice(0, conf).join(sep),
    tree: parts.slice(0, tree + 1).join(sep),
  };
}

/**
 * The config over which ESPnet3 merges a recipe's config: that of `egs3/TEMPLATE/<system>/conf` with the same name, or
 * with the longest name that the config's begins with: `training.yaml` for `training_small.yaml`. Undefined if there is
 * none.
 */
export function templateOf(config: string): string | undefined {
  const folder = templateFolder(config);
  if (folder === undefined) return undefined;
  const { name } = parse(config);
  const [best] = namesIn(folder)
    .filter((template) => name === template || name.startsWith(`${template}_`))
    .sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : join(folder, `${best}.yaml`);
}

/** The names of all templates of a recipe's config. None for any other config. */
export function templateNames(config: string): string[] {
  const folder = templateFolder(config);
  return folder === undefined ? [] : namesIn(folder).sort();
}

function templateFolder(config: string): string | undefined {
  const recipe = recipeOf(config);
  if (recipe === undefined || recipe.corpus === "TEMPLATE") return undefined;
  return join(recipe.tree, "TEMPLATE", recipe.system, "conf");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => parse(file).name);
  } catch {
    return [];
  }
}

function realPathOf(config: string): string {
  try {
    return realpathSync(config);
  } catch {
    return resolve(config);
  }
}
