import type { MillraceError } from "../errors/errors.ts";
import { looksSecret } from "../secrets/looks-secret.ts";
import { type Origin, rememberOrigins, rememberSecretsOf } from "../secrets/origins.ts";
import { configError } from "./config-error.ts";
import { type ConfigNode, Float, type SourcePosition } from "./config-node.ts";
import { rememberPositions } from "./position-of.ts";

/** Converts resolved nodes to frozen plain values and remembers where each was written. */
export function toPlain(root: ConfigNode): unknown {
  // Shared parts stay shared: an alias or interpolation cannot multiply the memory.
  const done = new Map<ConfigNode, unknown>();
  const convert = (node: ConfigNode, isSecret: boolean): unknown => {
    if (node.kind === "scalar" && node.failure !== undefined) throw node.failure;
    if (node.kind === "scalar") return node.value instanceof Float ? node.value.value : node.value;
    const known = done.get(node);
    if (known !== undefined) return known;
    const positions = new Map<string | number, SourcePosition>();
    const origins = new Map<string | number, Origin>();
    const setChild = (key: string | number, child: ConfigNode) => {
      positions.set(key, child.position);
      if (child.kind === "scalar" && child.failure !== undefined) return setFailure(plain, key, child.failure);
      const isSecretKey = isSecret || (typeof key === "string" && looksSecret(key));
      const value = convert(child, isSecretKey);
      if (child.origin !== undefined) {
        origins.set(key, child.origin);
        rememberSecretsOf(child.origin, value, isSecretKey);
      }
      plain[key] = value;
    };
    const plain = (node.kind === "list" ? [] : {}) as Record<string | number, unknown>;
    if (node.kind === "list") for (const [i, item] of node.items.entries()) setChild(i, item);
    else {
      for (const [key, entry] of node.entries) {
        refuseReserved(key, entry.position);
        setChild(key, entry);
      }
    }
    rememberPositions(plain, node.position, positions);
    rememberOrigins(plain, origins);
    done.set(node, Object.freeze(plain));
    return plain;
  };
  return convert(root, false);
}

function setFailure(holder: object, key: string | number, failure: MillraceError): void {
  const get = () => {
    throw failure;
  };
  Object.defineProperty(holder, key, { get, enumerable: true });
}

/** Careless code that copies the config would set the prototype with this key. */
export function refuseReserved(key: string, position: SourcePosition): void {
  if (key === "__proto__") {
    throw configError(position, "The key __proto__ is not allowed.", { hint: "Choose another name." });
  }
}
