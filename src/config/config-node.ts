import type { MillraceError } from "../errors/errors.ts";
import type { Origin } from "../secrets/origins.ts";

/** Where a value of a config was written: a position in a file, or an override of the command line. */
export interface SourcePosition {
  /** The path of the file as the caller gave it, or the text of an override. */
  readonly source: string;
  /** From 1; an override has none. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * A float of the config. JavaScript has one kind of number, but `1.0` inside a string is "1.0" and `1` is "1", so the
 * difference is kept until the config is converted to plain values.
 */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** The value of a scalar. A plain number is an integer. */
export type ScalarValue = string | number | boolean | null | Float;

interface NodeBase {
  position: SourcePosition;
  /** The parent and the key in it: relative interpolations start there. */
  parent: ContainerNode | undefined;
  key: string | number | undefined;
  /** How it was made from the environment, if it was. */
  origin?: Origin | undefined;
}

export interface MapNode extends NodeBase {
  readonly kind: "map";
  readonly entries: Map<string, ConfigNode>;
}

export interface ListNode extends NodeBase {
  readonly kind: "list";
  readonly items: ConfigNode[];
}

export interface ScalarNode extends NodeBase {
  readonly kind: "scalar";
  readonly value: ScalarValue;
  /** True for the result of an interpolation: a `${` in it is literal text. */
  readonly isResult: boolean;
  /** Why it has no value. It is thrown where the value is read. */
  readonly failure?: MillraceError;
}

export type ContainerNode = MapNode | ListNode;

/** A config before it is converted to plain values: typed scalars with their positions. */
export type ConfigNode = ContainerNode | ScalarNode;

/** The value that means "must be given elsewhere". */
const missing = "???";

export function makeScalar(value: ScalarValue, position: SourcePosition, isResult = false): ScalarNode {
  return { kind: "scalar", value, position, isResult, parent: undefined, key: undefined };
}

/** A value that could not be resolved. */
export function makeFailed(failure: MillraceError, position: SourcePosition): ScalarNode {
  return { ...makeScalar(null, position, true), failure };
}

export function makeMap(position: SourcePosition): MapNode {
  return { kind: "map", entries: new Map(), position, parent: undefined, key: undefined };
}

export function makeList(position: SourcePosition): ListNode {
  return { kind: "list", items: [], position, parent: undefined, key: undefined };
}

/** Adds a node to a map, or replaces the node with this key. */
export function setEntry(map: MapNode, key: string, node: ConfigNode): void {
  node.parent = map;
  node.key = key;
  map.entries.set(key, node);
}

export function setItem(list: ListNode, index: number, node: ConfigNode): void {
  node.parent = list;
  node.key = index;
  list.items[index] = node;
}

/** A deep copy without a parent. */
export function copyNode<N extends ConfigNode>(node: N): N {
  const copy = ({ value, position, isResult }: ScalarNode) => makeScalar(value, position, isResult);
  return copyWith(node, copy, undefined) as N;
}

/** A copy with one position for all nodes. Its strings are parsed for interpolations again. */
export function copyAsWritten(node: ConfigNode, position: SourcePosition): ConfigNode {
  return copyWith(node, ({ value }) => makeScalar(value, position), position);
}

function copyWith(
  node: ConfigNode,
  copyScalar: (node: ScalarNode) => ScalarNode,
  position: SourcePosition | undefined,
): ConfigNode {
  if (node.kind === "scalar") return { ...copyScalar(node), origin: node.origin };
  if (node.kind === "list") {
    const list = { ...makeList(position ?? node.position), origin: node.origin };
    node.items.forEach((item, i) => {
      setItem(list, i, copyWith(item, copyScalar, position));
    });
    return list;
  }
  const map = { ...makeMap(position ?? node.position), origin: node.origin };
  for (const [key, entry] of node.entries) setEntry(map, key, copyWith(entry, copyScalar, position));
  return map;
}

export function isInterpolation(node: ConfigNode): node is ScalarNode & { readonly value: string } {
  return node.kind === "scalar" && !node.isResult && typeof node.value === "string" && node.value.includes("${");
}

export function isMissing(node: ConfigNode): boolean {
  return node.kind === "scalar" && !node.isResult && node.value === missing;
}

/** The key of a node as a user would write it: `model.layers[0].size`; the root is "the config". */
export function pathOf(node: ConfigNode): string {
  const keys: (string | number)[] = [];
  for (let at: ConfigNode | undefined = node; at?.key !== undefined; at = at.parent) keys.unshift(at.key);
  return keys.length === 0 ? "the config" : showPath(keys);
}

export function showPath(keys: readonly (string | number)[]): string {
  return keys.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}
