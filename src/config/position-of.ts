import type { SourcePosition } from "./config-node.ts";
import { splitKey } from "./select-node.ts";

interface Places {
  readonly self: SourcePosition;
  readonly children: ReadonlyMap<string | number, SourcePosition>;
}

// Stored beside the config and not in it: a config is compared, printed and sent to workers.
const places = new WeakMap<object, Places>();

export function rememberPositions(
  container: object,
  self: SourcePosition,
  children: ReadonlyMap<string | number, SourcePosition>,
): void {
  places.set(container, { self, children });
}

/** Gives a copy of a section the positions of the section. */
export function copyPositions(from: object, to: object): void {
  const known = places.get(from);
  if (known !== undefined) places.set(to, known);
}

export function positionOfChild(container: unknown, key: string | number): SourcePosition | undefined {
  return isObject(container) ? places.get(container)?.children.get(key) : undefined;
}

/**
 * Where a value of a loaded config was written. The path is `model.layers[0]` or a list of keys; without one, the
 * config itself. A missing key has the position of the section that would contain it. Undefined for a config that was
 * not loaded.
 */
export function positionOf(
  config: unknown,
  path: string | readonly (string | number)[] = [],
): SourcePosition | undefined {
  let position = isObject(config) ? places.get(config)?.self : undefined;
  let value: unknown = config;
  for (const step of typeof path === "string" ? splitKey(path) : path) {
    if (!isObject(value)) break;
    const key = Array.isArray(value) ? Number(step) : String(step);
    position = positionOfChild(value, key) ?? position;
    // Not read: a value that could not be resolved would throw.
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return position;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
