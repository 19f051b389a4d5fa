import { isPlainObject } from "../shared/state-json.ts";
import {
  type ConfigNode,
  Float,
  makeList,
  makeMap,
  makeScalar,
  type SourcePosition,
  setEntry,
  setItem,
} from "./config-node.ts";
import { positionOfChild } from "./position-of.ts";

export interface FromPlainOptions {
  /** The place of everything that does not know its own. */
  readonly position: SourcePosition;
  /** Whether texts are what they say; otherwise `???` and `${` in them have their meaning. Default: true. */
  readonly isResult?: boolean;
  /** Called for a value that no config can hold. */
  readonly refuse: (value: unknown) => never;
}

/** A config of plain values as nodes. Whole numbers count as integers. */
export function fromPlain(value: unknown, options: FromPlainOptions): ConfigNode {
  return convert(value, options, new Set());
}

function convert(value: unknown, options: FromPlainOptions, above: Set<unknown>): ConfigNode {
  const { position, refuse, isResult = true } = options;
  if (value === null || typeof value === "string" || typeof value === "boolean")
    return makeScalar(value, position, isResult);
  if (typeof value === "number") {
    const isInteger = Number.isSafeInteger(value) && !Object.is(value, -0);
    return makeScalar(isInteger ? value : new Float(value), position, isResult);
  }
  if (above.has(value) || (!Array.isArray(value) && !isPlainObject(value))) return refuse(value);
  above.add(value);
  const inside = (child: unknown, key: string | number) =>
    convert(child, { ...options, position: positionOfChild(value, key) ?? position }, above);
  const node = Array.isArray(value) ? makeList(position) : makeMap(position);
  if (node.kind === "list") {
    (value as unknown[]).forEach((item, i) => {
      setItem(node, i, inside(item, i));
    });
  } else {
    for (const [key, entry] of Object.entries(value)) setEntry(node, key, inside(entry, key));
  }
  above.delete(value);
  return node;
}
