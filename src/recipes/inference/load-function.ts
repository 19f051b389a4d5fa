import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { instantiate } from "../../index.ts";

/** A function of the user's project that is called with one object. */
export type NamedFunction = (input: object) => unknown;

const loaded = new Map<string, Promise<NamedFunction>>();

/**
 * Imports the function that a `./file.js#function` names, once per process. A string can be sent to a worker, a
 * function cannot.
 */
export function loadFunction(target: string): Promise<NamedFunction> {
  const projectRoot = projectOf(process.cwd());
  const known = `${projectRoot} ${target}`;
  const found = loaded.get(known) ?? instantiate<NamedFunction>({ _target_: target, _partial_: true }, { projectRoot });
  loaded.set(known, found);
  found.catch(() => loaded.delete(known));
  return found;
}

function projectOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (at === dirname(at)) return folder;
  }
}
