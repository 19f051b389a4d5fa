import { isPlainObject } from "../values/state-json.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { positionOf } from "./position-of.ts";

// Stored beside the config and not in it, like its positions.
const roots = new WeakMap<object, string>();

/** The folder that the targets of a section are resolved against. Undefined if the config's project is unknown. */
export function projectOf(section: object): string | undefined {
  const source = positionOf(section)?.source;
  return source === undefined || source.startsWith("override ") ? roots.get(section) : findProjectRoot(source);
}

/** The project of the first part of a config, or of the values passed with it, that has one. */
export function projectIn(value: unknown): string | undefined {
  for (const part of partsOf(value)) {
    const root = projectOf(part);
    if (root !== undefined) return root;
  }
  return undefined;
}

/** Assigns this project to every part of a config that has none. */
export function assignProject(value: unknown, root: string): void {
  for (const part of partsOf(value)) roots.set(part, root);
}

// A value that could not be resolved throws where it is read.
function dataOf(part: object, key: string | number): unknown {
  return Object.getOwnPropertyDescriptor(part, key)?.value as unknown;
}

/** A config and all its parts. Other objects, such as a model, are skipped. */
function partsOf(value: unknown): Set<object> {
  const parts = new Set<object>();
  const visit = (part: unknown) => {
    if ((!Array.isArray(part) && !isPlainObject(part)) || parts.has(part)) return;
    parts.add(part);
    // Skipped: a list of a million numbers has no parts.
    if (Array.isArray(part) && typeof dataOf(part, 0) !== "object") return;
    for (const key of Object.keys(part)) visit(dataOf(part, key));
  };
  visit(value);
  return parts;
}
