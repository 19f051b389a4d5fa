import type { Alias, Node, YAMLMap } from "yaml";
import { messageOf } from "../errors/errors.ts";
import { configError, quote } from "./config-error.ts";
import {
  type ConfigNode,
  type MapNode,
  makeList,
  makeMap,
  makeScalar,
  type SourcePosition,
  setEntry,
  setItem,
} from "./config-node.ts";
import { refuseReserved } from "./to-plain.ts";
import { yamlLibrary } from "./yaml-library.ts";
import { BadScalar, isPlainNull, readPlainScalar, readTaggedScalar } from "./yaml-scalar.ts";
import { parseYamlText, tooDeep } from "./yaml-text.ts";

// Far more than a hand-written file has; a longer or deeper file is a mistake or an attack.
const maxDepth = 100;
const maxNodes = 200_000;

const coreTag = "tag:yaml.org,2002:";
const scalarTags = ["str", "null", "bool", "int", "float"];

/** Reads YAML as OmegaConf does. An empty text is an empty section. */
export function readYamlText(text: string, source: string): ConfigNode {
  const lines = new (yamlLibrary().LineCounter)();
  const positionAt = (offset: number): SourcePosition => {
    const { line, col } = lines.linePos(offset);
    return { source, line, column: col };
  };
  // The types of scalars, and keys that occur twice, are decided here.
  const document = parseYamlText(text, { source, maxDepth, uniqueKeys: false, lineCounter: lines });
  const [problem] = document.errors;
  if (problem !== undefined) throw syntaxError(problem, positionAt(problem.pos[0]));
  if (document.contents === null) return makeMap({ source, line: 1, column: 1 });
  return new TreeBuilder(positionAt).build(document.contents, { source, line: 1, column: 1 });
}

/** Converts nodes of the YAML library to config nodes. */
class TreeBuilder {
  readonly #yaml = yamlLibrary();
  readonly #positionAt: (offset: number) => SourcePosition;
  readonly #anchors = new Map<string, Node>();
  // Anchors whose node is being read: an alias to one of them would never end.
  readonly #open = new Set<Node>();
  #nodes = 0;
  #depth = 0;

  constructor(positionAt: (offset: number) => SourcePosition) {
    this.#positionAt = positionAt;
  }

  build(node: Node | null, position: SourcePosition): ConfigNode {
    if (++this.#nodes > maxNodes) {
      throw configError(position, `The file makes more than ${maxNodes.toLocaleString("en")} values.`, {
        hint: "Aliases may multiply it. Large lists belong in a file of their own that the program reads.",
      });
    }
    if (node === null) return makeScalar(null, position);
    const target = this.#yaml.isAlias(node) ? this.#findAnchor(node, position) : node;
    if (target === node) this.#remember(node, position);
    if (this.#open.has(target))
      throw configError(position, "An alias refers to a node that contains it.", {
        hint: "Write the values out here, without the alias.",
      });
    if (++this.#depth > maxDepth) throw tooDeep(position, maxDepth);
    this.#open.add(target);
    const built = this.#buildContent(target, position);
    this.#open.delete(target);
    this.#depth--;
    return built;
  }

  #buildContent(node: Node, position: SourcePosition): ConfigNode {
    if (this.#yaml.isMap(node)) {
      this.#requireTag(node, "map", position);
      return this.#buildMap(node, position);
    }
    if (this.#yaml.isSeq(node)) {
      this.#requireTag(node, "seq", position);
      const list = makeList(position);
      for (const [i, item] of node.items.entries()) {
        setItem(list, i, this.build(item as Node | null, this.#place(item as Node | null, position)));
      }
      return list;
    }
    if (!this.#yaml.isScalar(node))
      throw configError(position, "This cannot be read.", {
        hint: "Write a text, a number, true, false, null, a list or keys with values.",
      });
    try {
      return makeScalar(readScalar(node as ScalarLike), position);
    } catch (error) {
      if (error instanceof BadScalar)
        throw configError(position, `${messageOf(error)}.`, { hint: "Put it in quotes, if it is meant as a text." });
      throw error;
    }
  }

  #buildMap(node: YAMLMap, position: SourcePosition): MapNode {
    const merged = makeMap(position);
    const written = makeMap(position);
    // In source order: an alias follows its anchor.
    for (const { key, value } of node.items as { key: Node | null; value: Node | null }[]) {
      const place = this.#place(key, position);
      if (isMergeKey(key)) mergeKeys(merged, this.build(value, place), place);
      else {
        const name = this.#readKey(key, place);
        if (written.entries.has(name)) {
          throw configError(place, `The key ${name} is there twice.`, { hint: "Remove one of them." });
        }
        setEntry(written, name, this.build(value, place));
      }
    }
    if (merged.entries.size === 0) return written;
    for (const [name, entry] of written.entries) setEntry(merged, name, entry);
    return merged;
  }

  // A key is its source text: 1, yes and 2024-01-02 are the keys "1", "yes" and "2024-01-02".
  #readKey(key: Node | null, position: SourcePosition): string {
    const target = key !== null && this.#yaml.isAlias(key) ? this.#findAnchor(key, position) : key;
    if (key !== null && target === key) this.#remember(key, position);
    if (!this.#yaml.isScalar(target) || typeof target.value !== "string") {
      throw configError(position, "A key has to be a single value.", { hint: "Quote it if it is meant as text." });
    }
    const { tag } = target;
    if (tag !== undefined && tag !== "!" && tag !== `${coreTag}str`) throw badTag(tag, position);
    if (tag === undefined && isPlain(target) && isPlainNull(target.value)) {
      throw configError(position, `The key ${quote(target.value)} is null.`, {
        hint: "Quote it if it is meant as text.",
      });
    }
    refuseReserved(target.value, position);
    return target.value;
  }

  #place(node: Node | null, fallback: SourcePosition): SourcePosition {
    return node?.range ? this.#positionAt(node.range[0]) : fallback;
  }

  #remember(node: Node, position: SourcePosition): void {
    const { anchor } = node as { anchor?: string };
    if (anchor === undefined) return;
    if (!/^[\w-]+$/.test(anchor))
      throw configError(position, `&${anchor} is not a valid anchor.`, { hint: "Use letters, digits, - and _." });
    const known = this.#anchors.get(anchor);
    if (known !== undefined && known !== node) {
      throw configError(position, `The anchor &${anchor} is there twice.`, { hint: "Rename one of them." });
    }
    this.#anchors.set(anchor, node);
  }

  #findAnchor(alias: Alias, position: SourcePosition): Node {
    const node = this.#anchors.get(alias.source);
    if (node !== undefined) return node;
    throw configError(position, `*${alias.source} has no &${alias.source} before it.`, {
      hint: "If it is meant as text, quote it.",
    });
  }

  #requireTag(node: Node, expected: string, position: SourcePosition): void {
    const { tag } = node as { tag?: string };
    if (tag !== undefined && tag !== coreTag + expected && tag !== "!") throw badTag(tag, position);
  }
}

/** `<<: *base`, or a list of them, in which earlier ones take precedence. */
function mergeKeys(map: MapNode, value: ConfigNode, position: SourcePosition): void {
  const sources = value.kind === "list" ? [...value.items].reverse() : [value];
  for (const source of sources) {
    if (source.kind !== "map") {
      throw configError(position, "<< takes a section or a list of sections.", { hint: "Write <<: *anchor." });
    }
    for (const [key, entry] of source.entries) setEntry(map, key, entry);
  }
}

interface ScalarLike {
  readonly value: unknown;
  readonly type?: string;
  readonly tag?: string;
  readonly range?: readonly [number, number, number] | null;
}

function readScalar(node: ScalarLike) {
  const text = String(node.value ?? "");
  if (node.tag === undefined || node.tag === "!") return isPlain(node) ? readPlainScalar(text) : text;
  const name = node.tag.startsWith(coreTag) ? node.tag.slice(coreTag.length) : "";
  if (!scalarTags.includes(name)) throw new BadScalar(tagMessage(node.tag));
  return readTaggedScalar(name, text);
}

function isPlain({ type }: { readonly type?: string | undefined }): boolean {
  return type === "PLAIN" || type === undefined;
}

function isMergeKey(key: Node | null): boolean {
  return (
    yamlLibrary().isScalar(key) &&
    key.type === "PLAIN" &&
    key.value === "<<" &&
    (key.tag === undefined || key.tag === `${coreTag}merge`)
  );
}

function tagMessage(tag: string): string {
  const shown = tag.startsWith(coreTag) ? `!!${tag.slice(coreTag.length)}` : tag;
  return `The tag ${shown} is not known: a config holds data, not objects`;
}

function badTag(tag: string, position: SourcePosition) {
  return configError(position, `${tagMessage(tag)}.`, { hint: "Remove the tag; what makes an object is _target_." });
}

function syntaxError(problem: { code: string; message: string }, position: SourcePosition) {
  if (problem.code === "RESOURCE_EXHAUSTION") return tooDeep(position, maxDepth);
  if (problem.code === "MULTIPLE_DOCS") {
    return configError(position, "A second document begins here.", {
      hint: "A config is one document: remove the ---.",
    });
  }
  return configError(position, `This is not valid YAML: ${problem.message.replace(/\.?$/, ".")}`, {
    hint: "Check the indentation, and quote texts that hold one of : { } [ ] , & * # ? | - < > = ! % @ `.",
  });
}
