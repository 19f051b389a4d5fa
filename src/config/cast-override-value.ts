import {
  type ConfigNode,
  Float,
  makeList,
  makeMap,
  makeScalar,
  type ScalarValue,
  setEntry,
  setItem,
} from "./config-node.ts";
import { pythonText } from "./python-text.ts";

/** The casts of Hydra's override grammar. */
export const casts: readonly string[] = ["int", "float", "str", "bool"];

/** `int(3.7)`, `str([1,2])`: a cast applies to the elements of lists and the values of dicts. */
export function castOverrideValue(cast: string, node: ConfigNode): ConfigNode {
  if (node.kind === "list") {
    const list = makeList(node.position);
    node.items.forEach((item, i) => {
      setItem(list, i, castOverrideValue(cast, item));
    });
    return list;
  }
  if (node.kind === "map") {
    const map = makeMap(node.position);
    for (const [key, entry] of node.entries) setEntry(map, key, castOverrideValue(cast, entry));
    return map;
  }
  return makeScalar(castScalar(cast, node.value, pythonText(node)), node.position);
}

function castScalar(cast: string, value: ScalarValue, text: string): ScalarValue {
  if (cast === "str") return typeof value === "boolean" ? String(value) : value === null ? "null" : text;
  if (value === null) throw new Error(`null cannot be cast to ${cast}`);
  const number = value instanceof Float ? value.value : typeof value === "boolean" ? Number(value) : value;
  if (cast === "bool") return castToBool(number, text);
  if (cast === "float") {
    const float =
      typeof number === "number" ? number : readNumber(number, /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i);
    if (float === undefined) throw new Error(`${JSON.stringify(text)} cannot be cast to float`);
    return new Float(float);
  }
  const int = typeof number === "number" ? Math.trunc(number) : readNumber(number, /^\s*[-+]?\d+\s*$/);
  if (int === undefined || !Number.isSafeInteger(int)) throw new Error(`${JSON.stringify(text)} cannot be cast to int`);
  return int === 0 ? 0 : int;
}

function castToBool(value: string | number, text: string): boolean {
  if (typeof value === "number") return value !== 0;
  const lower = value.toLowerCase();
  if (lower !== "true" && lower !== "false") throw new Error(`${JSON.stringify(text)} cannot be cast to bool`);
  return lower === "true";
}

function readNumber(text: string, pattern: RegExp): number | undefined {
  return pattern.test(text) ? Number(text) : undefined;
}
