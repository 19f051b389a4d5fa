/** Where a value of a config was written: a place in a file, or an override of the command line. */
export interface SourcePosition {
  /** The file as it was asked for, or the text of an override. */
  readonly source: string;
  /** From 1; an override has none. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * A float of the config. JavaScript has one kind of number, but `1.0` inside a text is "1.0" and `1` is "1", so the
 * difference is kept until the config is handed out.
 */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** What a scalar can be. A plain number is an integer. */
export type ScalarValue = string | number | boolean | null | Float;

interface NodeBase {
  position: SourcePosition;
  /** The container it stands in and its key there: relative interpolations start from them. */
  parent: ContainerNode | undefined;
  key: string | number | undefined;
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
  /** The result of an interpolation: a `${` in it is text, never an interpolation again. */
  readonly isResult: boolean;
}

export type ContainerNode = MapNode | ListNode;

/** A config before it is handed out: typed scalars, with the place each one comes from. */
export type ConfigNode = ContainerNode | ScalarNode;

/** The value that says "has to be given elsewhere". */
const missing = "???";

export function makeScalar(value: ScalarValue, position: SourcePosition, isResult = false): ScalarNode {
  return { kind: "scalar", value, position, isResult, parent: undefined, key: undefined };
}

export function makeMap(position: SourcePosition): MapNode {
  return { kind: "map", entries: new Map(), position, parent: undefined, key: undefined };
}

export function makeList(position: SourcePosition): ListNode {
  return { kind: "list", items: [], position, parent: undefined, key: undefined };
}

/** Puts a node into a map, in the place of one that has the key. */
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

/** A copy that shares nothing and stands nowhere yet. */
export function copyNode<N extends ConfigNode>(node: N): N {
  return copyWith(node, (scalar) => makeScalar(scalar.value, scalar.position, scalar.isResult), undefined) as N;
}

/** A copy as if all of it had been written at one place: its texts are read for interpolations again. */
export function copyAsWritten(node: ConfigNode, position: SourcePosition): ConfigNode {
  return copyWith(node, ({ value }) => makeScalar(value, position), position);
}

function copyWith(
  node: ConfigNode,
  copyScalar: (node: ScalarNode) => ScalarNode,
  position: SourcePosition | undefined,
): ConfigNode {
  if (node.kind === "scalar") return copyScalar(node);
  if (node.kind === "list") {
    const list = makeList(position ?? node.position);
    node.items.forEach((item, i) => {
      setItem(list, i, copyWith(item, copyScalar, position));
    });
    return list;
  }
  const map = makeMap(position ?? node.position);
  for (const [key, entry] of node.entries) setEntry(map, key, copyWith(entry, copyScalar, position));
  return map;
}

export function isInterpolation(node: ConfigNode): node is ScalarNode & { readonly value: string } {
  return node.kind === "scalar" && !node.isResult && typeof node.value === "string" && node.value.includes("${");
}

export function isMissing(node: ConfigNode): boolean {
  return node.kind === "scalar" && !node.isResult && node.value === missing;
}

/** The key of a node as a user would write it: `model.layers[0].size`; the top is "the config". */
export function pathOf(node: ConfigNode): string {
  const keys: (string | number)[] = [];
  for (let at: ConfigNode | undefined = node; at?.key !== undefined; at = at.parent) keys.unshift(at.key);
  return keys.length === 0 ? "the config" : showPath(keys);
}

export function showPath(keys: readonly (string | number)[]): string {
  return keys.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${key}`)).join("");
}
