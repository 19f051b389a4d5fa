import { configError } from "./config-error.ts";
import { type ConfigNode, Float, type SourcePosition } from "./config-node.ts";
import { rememberPositions } from "./position-of.ts";

/** Nodes without interpolations as frozen plain values, each of which still knows where it was written. */
export function toPlain(root: ConfigNode): unknown {
  // Parts that are shared stay shared: an alias or interpolation cannot multiply the memory.
  const done = new Map<ConfigNode, unknown>();
  const convert = (node: ConfigNode): unknown => {
    if (node.kind === "scalar") return node.value instanceof Float ? node.value.value : node.value;
    const known = done.get(node);
    if (known !== undefined) return known;
    const positions = new Map<string | number, SourcePosition>();
    let plain: object;
    if (node.kind === "list") {
      plain = node.items.map((item, i) => {
        positions.set(i, item.position);
        return convert(item);
      });
    } else {
      plain = Object.fromEntries(
        [...node.entries].map(([key, entry]) => {
          refuseReserved(key, entry.position);
          positions.set(key, entry.position);
          return [key, convert(entry)];
        }),
      );
    }
    rememberPositions(plain, node.position, positions);
    done.set(node, Object.freeze(plain));
    return plain;
  };
  return convert(root);
}

/** A key of this name would reach the prototype of careless code that copies the config. */
export function refuseReserved(key: string, position: SourcePosition): void {
  if (key === "__proto__") {
    throw configError(position, "The key __proto__ is not allowed.", { hint: "Choose another name." });
  }
}
