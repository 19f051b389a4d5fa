import { isPlainObject } from "../shared/state-json.ts";
import { findProjectRoot } from "./find-project-root.ts";
import { positionOf } from "./position-of.ts";

// Beside the config and not in it, as its positions are.
const roots = new WeakMap<object, string>();

/** The folder in which the targets of a section are looked for; undefined where nobody knows whose config it is. */
export function projectOf(section: object): string | undefined {
  const source = positionOf(section)?.source;
  return source === undefined || source.startsWith("override ") ? roots.get(section) : findProjectRoot(source);
}

/** The project of the first part of a config, or of what is handed on beside it, that has one. */
export function projectIn(value: unknown): string | undefined {
  for (const part of partsOf(value)) {
    const root = projectOf(part);
    if (root !== undefined) return root;
  }
  return undefined;
}

/** Every part of a config belongs to this project, unless it says itself to which. */
export function assignProject(value: unknown, root: string): void {
  for (const part of partsOf(value)) roots.set(part, root);
}

/** A config and everything in it; what is not a config's, a model say, is not looked into. */
function partsOf(value: unknown): Set<object> {
  const parts = new Set<object>();
  const visit = (part: unknown) => {
    if ((!Array.isArray(part) && !isPlainObject(part)) || parts.has(part)) return;
    parts.add(part);
    // A list of a million numbers has no parts.
    if (Array.isArray(part) && typeof part[0] !== "object") return;
    for (const child of Object.values(part)) visit(child);
  };
  visit(value);
  return parts;
}
