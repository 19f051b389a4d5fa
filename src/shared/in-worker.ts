import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { MillraceError } from "./errors.ts";

// By a registered symbol, because the script and the worker may have loaded two copies of this package.
const mark = Symbol.for("millrace.worker");

/** Says that this process or thread is a worker: no run can be started in it. */
export function markWorker(): void {
  Reflect.set(globalThis, mark, true);
}

/**
 * Refuses to start a run in a worker. The worker imports the script that holds the runner; a script that starts its run
 * when imported would start it again in every worker.
 */
export function refuseInWorker(runner: string): void {
  if (Reflect.get(globalThis, mark) !== true) return;
  throw new MillraceError(
    "RUN_IN_WORKER",
    `A run of ${runner} was started in a worker, which had imported its script.`,
    {
      hint: "Start the run only in the main script: `if (isMainModule(import.meta.url)) await main();` with isMainModule from millrace, or move the classes to a module of their own.",
    },
  );
}

/** Whether a module is the script that node was started with, and not imported by another: pass `import.meta.url`. */
export function isMainModule(url: string): boolean {
  const [, script] = process.argv;
  if (!isMainThread || script === undefined || !url.startsWith("file:")) return false;
  const path = fileURLToPath(url);
  if (path === script) return true;
  try {
    // As Node.js finds it: `node main` and `node .` are scripts too, and links are followed.
    return path === createRequire(import.meta.url).resolve(script);
  } catch {
    return false;
  }
}
