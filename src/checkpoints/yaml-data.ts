import { closeSync, readFileSync } from "node:fs";
import type { Node } from "yaml";
import { configError } from "../config/config-error.ts";
import { Float } from "../config/config-node.ts";
import { yamlLibrary } from "../config/yaml-library.ts";
import { BadScalar, readPlainScalar } from "../config/yaml-scalar.ts";
import { parseYamlText } from "../config/yaml-text.ts";
import { messageOf } from "../errors/errors.ts";
import { openRegularFile } from "../input/open-regular-file.ts";
import { badCheckpoint } from "./bad-checkpoint.ts";

/** YAML as plain data. A tag such as `!new:module.Class` is kept beside its value, and means nothing here. */
export type YamlData = null | boolean | number | string | readonly YamlData[] | YamlMap | Tagged;
export type YamlMap = ReadonlyMap<string, YamlData>;

/** A value with a tag. */
export class Tagged {
  readonly tag: string;
  readonly value: YamlData;

  constructor(tag: string, value: YamlData) {
    this.tag = tag;
    this.value = value;
  }
}

// The configurations of published models have a few hundred values.
const maxNodes = 100_000;
const maxDepth = 50;

// The parser takes about 1.5 s for a megabyte, and the configurations of published models have a few kilobytes.
const maxBytes = 2 * 1024 * 1024;

/** Reads the configuration of a checkpoint. Nothing in it is executed: tags are texts. */
export function readYamlData(file: string): YamlMap {
  return parseYamlData(readText(file), file);
}

function readText(file: string): string {
  let opened: ReturnType<typeof openRegularFile>;
  try {
    opened = openRegularFile(file);
  } catch (error) {
    throw badCheckpoint(file, `it cannot be read: ${messageOf(error)}`, "Copy the whole folder of the model.");
  }
  try {
    if (opened.sizeBytes <= maxBytes) return readFileSync(opened.fd, "utf8");
    throw badCheckpoint(file, `it has ${opened.sizeBytes} bytes, more than the ${maxBytes} of any configuration`);
  } finally {
    closeSync(opened.fd);
  }
}

function parseYamlData(text: string, source: string): YamlMap {
  const yaml = yamlLibrary();
  const lines = new yaml.LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { source, line, column: col };
  };
  const document = parseYamlText(text, { source, maxDepth, uniqueKeys: true, lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined)
    throw configError(at(problem.pos[0]), `This is not valid YAML: ${problem.message}.`, {
      hint: "The file may not have been copied or fetched completely.",
    });
  let nodes = 0;
  const read = (node: Node | null, depth: number): YamlData => {
    const position = at(node?.range?.[0] ?? 0);
    if (++nodes > maxNodes || depth > maxDepth)
      throw configError(position, "The file has too many values, or nests them too deeply.", {
        hint: "The configuration of a model is far smaller: this is another file.",
      });
    if (node === null) return null;
    if (yaml.isAlias(node)) return read(node.resolve(document) ?? null, depth + 1);
    const tag = node.tag?.startsWith("tag:yaml.org,2002:") === true || node.tag === "!" ? undefined : node.tag;
    const value = readContent(node, depth);
    return tag === undefined ? value : new Tagged(tag, value);
  };
  const readContent = (node: Node, depth: number): YamlData => {
    if (yaml.isSeq(node)) return node.items.map((item) => read(item as Node | null, depth + 1));
    if (yaml.isMap(node))
      return new Map(
        node.items.map(({ key, value }) => [
          String(read(key as Node, depth + 1)),
          read(value as Node | null, depth + 1),
        ]),
      );
    if (!yaml.isScalar(node)) return null;
    const written = String(node.value ?? "");
    // Quoted texts, and texts with a tag of their own, are texts.
    const isText = node.type !== "PLAIN" || (node.tag?.startsWith("!") ?? false);
    return isText ? written : plainValue(written);
  };
  const data = read(document.contents, 0);
  if (data instanceof Map) return data;
  throw configError({ source, line: 1, column: 1 }, "The file has no keys with values.", {
    hint: "The configuration of a model was expected.",
  });
}

function plainValue(written: string): YamlData {
  try {
    const value = readPlainScalar(written);
    return value instanceof Float ? value.value : value;
  } catch (error) {
    // An integer beyond 2^53, for instance: no setting that is read has such a value.
    if (error instanceof BadScalar) return written;
    throw error;
  }
}
