import { createRequire } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { MillraceError } from "../errors/errors.ts";

// A registered symbol, because the script and the worker may have loaded two copies of this package.
const mark = Symbol.for("millrace.worker");

/** Marks this process or thread as a worker: no run can be started in it. */
export function markWorker(): void {
  Reflect.set(globalThis, mark, true);
}

/**
 * Throws if a run is started in a worker. The worker imports the script that holds the runner; a script that starts its
 * run on import would start it again in every worker.
 */
export function refuseInWorker(runner: string): void {
  if (Reflect.get(globalThis, mark) !== true) return;
  throw new MillraceError(
    "RUN_IN_WORKER",
    `A run of ${runner} was started in a worker, which had imported its script.`,
    {
      hint: "Start the run only in the main script: `if (isMainModule(import.meta)) await main();` with isMainModule from millrace, or move the definition to another module.",
    },
  );
}

/**
 * Whether a module is the script that the runtime was started with, and not imported by another: pass `import.meta`, its `url`, or in
 * CommonJS `__filename`.
 */
export function isMainModule(module: string | { readonly url: string }): boolean {
  const url = typeof module === "string" ? module : module.url;
  const [, script] = process.argv;
  if (!isMainThread || script === undefined) return false;
  const path = pathOf(url);
  if (path === undefined) return false;
  if (path === script) return true;
  try {
    // Resolved as Node.js does: `node main` and `node .` are scripts too, and links are followed.
    return path === createRequire(import.meta.url).resolve(script);
  } catch {
    return false;
  }
}

/** The path of a module; undefined for one that is not a file. */
function pathOf(url: string): string | undefined {
  if (isAbsolute(url)) return url;
  return url.startsWith("file:") ? fileURLToPath(url) : undefined;
}
