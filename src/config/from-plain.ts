import { originOf } from "../secrets/origins.ts";
import { isPlainObject } from "../values/state-json.ts";
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
  /** The position of values that have none. */
  readonly position: SourcePosition;
  /** True if strings are literal; otherwise `???` and `${` in them have their special meaning. Default: true. */
  readonly isResult?: boolean;
  /** Called for a value that a config cannot contain. */
  readonly refuse: (value: unknown) => never;
}

/** Converts plain values to config nodes. Whole numbers become integers. */
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
  const inside = (child: unknown, key: string | number) => {
    const node = convert(child, { ...options, position: positionOfChild(value, key) ?? position }, above);
    node.origin = originOf(value as object, key, child);
    return node;
  };
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
