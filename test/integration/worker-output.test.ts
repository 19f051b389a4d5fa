import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { itemsOf, payloads, textOf } from "../fixtures/children/printed-payloads.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const streams = ["stdout", "stderr"] as const;

const drive = (fixture: string, ...words: string[]) => start(temporaryFolder(), fixture, ...words);

/** Runs a fixture in a driver whose output is read through pipes, as in a shell's pipeline. */
async function start(folder: string, fixture: string, ...words: string[]) {
  const program = fileURLToPath(new URL(`../fixtures/children/${fixture}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [program, folder, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of streams) child[name].on("data", (chunk: Buffer) => void chunks[name].push(chunk));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    folder,
    code,
    stdout: Buffer.concat(chunks.stdout).toString(),
    stderr: Buffer.concat(chunks.stderr).toString(),
    log: readLogs(folder),
  };
}

function readLogs(folder: string): string {
  const logs = join(folder, "run", ".millrace", "logs");
  const names = existsSync(logs) ? readdirSync(logs) : [];
  return names.map((name) => readFileSync(join(logs, name), "utf8")).join("");
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
    const { code, stdout, stderr, log } = await drive("prints-and-ends", env, how);
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

  it("does not hold a worker up whose driver is blocked, and is complete nevertheless", async () => {
    const { code, stdout, stderr, log } = await drive("prints-in-trouble", "blockedDriver");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.length).toBe(5_000_000);
    expect(log.length).toBe(5_000_000);
  });

  it("is in its log where its driver was killed before", async () => {
    const { folder } = await drive("prints-in-trouble", "killedDriver");
    await expect.poll(() => readLogs(folder)).toContain("so was this\n");
    expect(readLogs(folder)).toContain("printed after the driver's end\n");
  });

  it("ends the message about workers that died before their env was built", async () => {
    const { code, stderr } = await drive("prints-in-trouble", "endsInEnv");
    expect(code).toBe(1);
    const [, words] = /Its last output:\n([\s\S]*?)\n {2}-> /.exec(stderr)!;
    expect(words).toMatch(/x{1000}\n {4}the model is not there$/);
  });

  it("is complete where another program keeps the pipes of a dead worker open, and the run continues", async () => {
    const folder = temporaryFolder();
    const driver = start(folder, "prints-in-trouble", "pipesLeftOpen");
    const done = join(folder, "run", "split.0", "done");
    await expect.poll(() => existsSync(done)).toBe(true);
    process.kill(Number(readFileSync(join(folder, "outlives"), "utf8")), "SIGKILL");
    const { code, stdout, log } = await driver;
    expect(code).toBe(0);
    expect(stdout.length).toBe(1_000_000);
    expect(log.length).toBe(1_000_000);
  });
});
