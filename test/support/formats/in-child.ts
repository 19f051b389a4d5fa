import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The result of a script: the outcome of its last expression, and what it took. */
export interface ChildOutcome {
  /** `read` or the message of what it threw; undefined if the process was ended. */
  readonly outcome: string | undefined;
  readonly code: string | undefined;
  readonly seconds: number;
  readonly maxRssMb: number;
  /** What the process said on its way out. */
  readonly stderr: string;
}

const build = fileURLToPath(new URL("../../../dist/formats.js", import.meta.url));
const timeoutMs = 200_000;
const heapMb = 700;

/**
 * Runs a call on a file in a process of its own, with a limit on its heap and its time: a reader that fails the test must
 * not take the machine with it. `call` sees everything of millrace/formats, and the file as `path`.
 */
export function readInChild(call: string, bytes: Uint8Array): ChildOutcome {
  const folder = mkdtempSync(join(tmpdir(), "millrace-hostile-"));
  try {
    writeFileSync(join(folder, "file"), bytes);
    return runInChild(call, join(folder, "file"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same for a path that is there already. */
export function runInChild(call: string, path: string): ChildOutcome {
  const script = `
    import * as formats from ${JSON.stringify(build)};
    const { ${names(call)} } = formats;
    const path = ${JSON.stringify(path)};
    const drain = async (rows) => { let count = 0; for await (const row of rows) count++; return count; };
    const started = performance.now();
    let outcome = "read", code;
    try { outcome = "read " + String((await (${call})) ?? ""); } catch (error) { outcome = error.message; code = error.code; }
    const seconds = (performance.now() - started) / 1000;
    process.stdout.write(JSON.stringify({ outcome, code, seconds, maxRssMb: process.resourceUsage().maxRSS / 1024 }));
  `;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, "--input-type=module", "--eval", script],
    { encoding: "utf8", timeout: timeoutMs, killSignal: "SIGKILL" },
  );
  const lost = { outcome: undefined, code: undefined, seconds: Infinity, maxRssMb: Infinity };
  return {
    ...(stdout === "" ? lost : (JSON.parse(stdout) as Omit<ChildOutcome, "stderr">)),
    stderr: stderr.slice(-400),
  };
}

function names(call: string): string {
  return [...new Set(call.match(/\b(?:read|open|decode|merge)[A-Z]\w*/g) ?? [])].join(", ");
}
