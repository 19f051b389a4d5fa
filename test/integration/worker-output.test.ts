import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { itemsOf, payloads, textOf } from "../fixtures/children/printed-payloads.mjs";
import { temporaryFolder } from "../fixtures/temporary-folder.ts";

const program = fileURLToPath(new URL("../fixtures/children/prints-and-ends.mjs", import.meta.url));
const streams = ["stdout", "stderr"] as const;

/** Runs the fixture in a driver whose output is read through pipes, as in a shell's pipeline. */
async function drive(env: string, how: string) {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [program, folder, env, how], { stdio: ["ignore", "pipe", "pipe"] });
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of streams) child[name].on("data", (chunk: Buffer) => void chunks[name].push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const logs = join(folder, "run", ".millrace", "logs");
  return {
    code,
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
    log: readdirSync(logs)
      .map((name) => readFileSync(join(logs, name), "utf8"))
      .join(""),
  };
}

/** How many bytes of what an item printed are in a text; what the other stream brought may lie between them. */
function lengthFound(text: string, stream: "stdout" | "stderr", item: number): number {
  const marks = new RegExp(`${stream}${item}:\\d{8}\\.{47}[.\\n]`, "g");
  return (text.match(marks) ?? []).length * 64;
}

const cases = [
  ...["exit", "uncaught", "kill", "segmentationFault", "abort", "stuck"].map((how) => ["process", how] as const),
  ...["exit", "uncaught", "stuck"].map((how) => ["thread", how] as const),
];

describe("what a worker printed", () => {
  it.each(cases)("is complete in its log and on the driver's output: env %s, end: %s", async (env, how) => {
    const { code, stdout, stderr, log } = await drive(env, how);
    expect(code, stderr.slice(-2000)).toBe(0);
    for (const item of itemsOf(how)) {
      const { bytes } = payloads[item]!;
      expect(lengthFound(stdout, "stdout", item), `stdout of item ${item}`).toBe(bytes);
      expect(lengthFound(stderr, "stderr", item), `stderr of item ${item}`).toBe(bytes);
      for (const stream of streams)
        expect(lengthFound(log, stream, item), `${stream} of item ${item} in the log`).toBe(bytes);
      expect(stdout.includes(textOf("stdout", item)), "in order").toBe(true);
    }
  });
});
