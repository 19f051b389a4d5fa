import { closeSync, readSync } from "node:fs";
import { isAbsolute, parse, resolve } from "node:path";
import { errnoOf } from "../errors/errors.ts";
import { openRegularFile } from "../input/open-regular-file.ts";
import { baseOf, type ConfigFiles, fileOf, readablePath } from "./config-files.ts";
import { type ConfigNode, makeList, makeScalar, setItem } from "./config-node.ts";
import { pythonText } from "./python-text.ts";
import { readYamlText } from "./read-yaml.ts";
import { recipeOf } from "./recipe-template.ts";
import type { BuiltInResolver, ResolverContext } from "./resolver-context.ts";
import { describeFailure } from "./select-node.ts";

// A list of a million short tokens; YAML is limited like a config.
const maxLineBytes = 16 * 1024 * 1024;
const maxYamlBytes = 2 * 1024 * 1024;

/** The resolvers of ESPnet3's recipes. */
export const espnet3Resolvers: Readonly<Record<string, BuiltInResolver>> = {
  self_name: { min: 0, max: 1, call: nameOfConfig },
  config_path: { min: 1, max: 1, call: pathFromConfig },
  set_corpus_and_system: { min: 0, max: 0, call: nameOfRecipe },
  load_line: { min: 1, max: 1, call: loadLines },
  load_yaml: { min: 1, max: 2, call: loadYaml },
};

/** The name of the config without its ending; an argument is returned unchanged. */
function nameOfConfig([given]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const { at } = context;
  if (given !== undefined) return given;
  const { main, hasTemplate } = filesOf(context);
  const file = hasTemplate ? main : (fileOf(at.position) ?? main);
  return makeScalar(parse(file).name, at.position, true);
}

/** The absolute path of a path that is relative to the file in which it is written. Nothing is read. */
function pathFromConfig([path]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const { at } = context;
  const text = requirePath(path!);
  const isKept = isAbsolute(text) || context.isComputed(0);
  return isKept ? path! : makeScalar(resolve(baseOf(at.position), text), at.position, true);
}

function nameOfRecipe(_args: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const { main } = filesOf(context);
  const recipe = recipeOf(main);
  if (recipe !== undefined) return makeScalar(`${recipe.corpus}_${recipe.system}`, context.at.position, true);
  throw new Error(`${main} is not in a folder egs3/CORPUS/SYSTEM/conf, from which the name is made`);
}

/** The lines of a text file, without the blanks around them, as Python reads and strips them. */
function loadLines([path]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const { position } = context.at;
  const text = readTextFile(locate(path!, context), maxLineBytes);
  const lines = text.split(/\r\n|\r|\n/);
  // What follows the last line break is a line only if there is something.
  if (lines.at(-1) === "") lines.pop();
  const list = makeList(position);
  for (const [i, line] of lines.entries()) setItem(list, i, makeScalar(pythonStrip(line), position, true));
  return list;
}

/** A YAML file, or the value of one key in it. Interpolations in the file refer to the file itself. */
function loadYaml([path, key]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const file = locate(path!, context);
  const { open, onRead } = filesOf(context);
  if (open.includes(file)) throw new Error(`${[...open, file].join(" -> ")}: the file reads itself`);
  onRead?.(file);
  const root = readYamlText(readTextFile(file, maxYamlBytes), file);
  const name = key === undefined || isNull(key) ? "" : pythonText(key).trim();
  const selection = context.selectInFile(root, name, file);
  if ("failure" in selection) throw new Error(`${file}: ${describeFailure(selection.failure)}`);
  if (name !== "" && isNull(selection.node)) throw new Error(`${file}: ${name} is null`);
  return selection.node;
}

function filesOf({ files }: ResolverContext): ConfigFiles {
  if (files !== undefined) return files;
  throw new Error("it works in the file of a config alone");
}

// As in ESPnet3: a path that is made of other values is relative to the working directory, any other to its file.
function locate(path: ConfigNode, context: ResolverContext): string {
  const { main } = filesOf(context);
  const { position } = context.at;
  const base = context.isComputed(0) ? process.cwd() : baseOf(position);
  const full = resolve(base, requirePath(path));
  try {
    return readablePath(full, fileOf(position) ?? main);
  } catch (error) {
    throw errnoOf(error) === "ENOENT" ? new Error(`there is no file ${full}`, { cause: error }) : error;
  }
}

function readTextFile(path: string, maxBytes: number): string {
  const { fd, sizeBytes } = openRegularFile(path);
  try {
    if (sizeBytes > maxBytes) throw new Error(`${path} is larger than ${maxBytes / 1024 / 1024} MiB`);
    const bytes = Buffer.alloc(sizeBytes);
    let length = 0;
    for (let count = -1; count !== 0 && length < sizeBytes; length += count)
      count = readSync(fd, bytes, length, sizeBytes - length, length);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length));
  } catch (error) {
    throw error instanceof TypeError ? new Error(`${path} is not UTF-8 text`, { cause: error }) : error;
  } finally {
    closeSync(fd);
  }
}

// What Python's `str.strip` removes, which differs from `trim` in the separators of ASCII and the byte order mark.
function pythonStrip(line: string): string {
  const blank = "[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  return line.replace(new RegExp(`^${blank}+`), "").replace(new RegExp(`(?<!${blank})${blank}+$`), "");
}

function requirePath(node: ConfigNode): string {
  if (node.kind === "scalar" && typeof node.value === "string" && node.value !== "" && !node.value.includes("\0"))
    return node.value;
  throw new Error(`${pythonText(node)} is not a path`);
}

function isNull(node: ConfigNode): boolean {
  return node.kind === "scalar" && node.value === null;
}
