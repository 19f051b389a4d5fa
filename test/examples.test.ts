import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyFolder } from "./support/cli/project.ts";
import { startSlurm, whyNotSlurm } from "./support/clusters/slurm.ts";
import type { SlurmCluster } from "./support/clusters/slurm-cluster.ts";
import { because } from "./support/clusters/why-not.ts";

const examples = fileURLToPath(new URL("../examples", import.meta.url));
const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());

interface Outcome {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Runs an example as its README says, in a folder of its own. */
function start(name: string, args: readonly string[] = [], { cwd = emptyFolder(), env = process.env } = {}) {
  const child = spawn(process.execPath, [join(examples, name, "main.mjs"), ...args], { cwd, env });
  const text = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    text.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text.stderr += chunk;
  });
  return new Promise<Outcome & { readonly cwd: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => {
      // On a busy machine it takes long enough for progress to be shown.
      const stderr = text.stderr.replace(/^.*(?: items \(\d+ %\)|jobs? ).*\n/gm, "");
      resolve({ cwd, status, stderr, lines: text.stdout.trimEnd().split("\n") });
    });
  });
}

const fine = { status: 0, stderr: "" };

describe("examples/README.md", () => {
  it("lists every example, and each has a page of its own", () => {
    const text = readFileSync(join(examples, "README.md"), "utf8");
    for (const { name } of folders) {
      expect(text).toContain(name === "corpus" ? "`corpus/`" : `| [${name}](${name}/README.md) |`);
      expect(existsSync(join(examples, name, "README.md"))).toBe(true);
    }
  });
});

describe.concurrent("an example runs as it is:", () => {
  it("hello, and again without doing anything again", async () => {
    const first = await start("hello");
    expect(first).toMatchObject({
      ...fine,
      lines: ["9990 records in exp/hello/records.jsonl; the last one: { idx: 9998, text: 'hello Katherine' }"],
    });
    const shard = join(first.cwd, "exp", "hello", "split.0", "done");
    const done = readFileSync(shard, "utf8");
    expect(await start("hello", [], first)).toMatchObject({
      ...fine,
      lines: first.lines,
      stderr: expect.stringMatching(/^millrace: nothing was left to do: all 10,000 items were done on .*\n$/),
    });
    expect(readFileSync(shard, "utf8")).toBe(done);
  });

  it("hello has twenty lines", () => {
    const text = readFileSync(join(examples, "hello", "main.mjs"), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(20);
  });

  it("text-cleaning", async () => {
    expect(await start("text-cleaning")).toMatchObject({
      ...fine,
      lines: ["2000 texts, 1735 kept; dropped: { 'too short': 50, 'not Latin': 40, 'the same': 175 }"],
    });
  });

  it("collect-stats", async () => {
    const { cwd, status, stderr, lines } = await start("collect-stats");
    expect({ status, stderr }).toEqual(fine);
    expect(lines[0]).toMatch(/^21168 frames of 80 bins; mean of the first: 7\.0\d\d$/);
    for (const name of ["train/feats_shape", "train/collect_stats.html", "cmvn.npz"])
      expect(existsSync(join(cwd, "exp", "collect-stats", name))).toBe(true);
  });

  it("onnx-inference", async () => {
    expect(await start("onnx-inference")).toMatchObject({
      ...fine,
      lines: ["200 levels in exp/onnx-inference/level.scp; their mean is 0.354"],
    });
  });

  it("own-writer, whose files hold what its line says", async () => {
    const { cwd, ...outcome } = await start("own-writer");
    expect(outcome).toEqual({ ...fine, lines: ["20000 documents, 590000 tokens in exp/own-writer/tokens.u16"] });
    const bytes = (name: string) => readFileSync(join(cwd, "exp", "own-writer", name));
    const ends = bytes("document-ends.u32");
    expect([bytes("tokens.u16").length, ends.length, ends.readUInt32LE(ends.length - 4)]).toEqual([
      1_180_000, 80_000, 590_000,
    ]);
  });

  it("call-an-api, which pays for each answer once", async () => {
    const first = await start("call-an-api");
    expect(first).toMatchObject({
      ...fine,
      lines: [
        "300 answers in exp/call-an-api/records.jsonl for 0.0019 dollars",
        "300 calls were answered, some refused at first",
      ],
    });
    expect((await start("call-an-api", [], first)).lines.at(-1)).toBe("0 calls were answered, none refused at first");
  });

  it("kill-and-resume, and again without doing anything again", async () => {
    const { cwd, lines, ...outcome } = await start("kill-and-resume");
    expect(outcome).toEqual(fine);
    expect(lines[0]).toMatch(/^ended by SIGKILL after \d+ of 3000 items; \d+ are in whole shards$/);
    // A shard is 375 items: without checkpoints it would be half of that.
    const [, twice] = /^continued: 3000 records; (\d+) items had to be run twice$/.exec(lines[1]!)!;
    expect(Number(twice)).toBeLessThan(375);
    expect(lines[2]).toBe("every record is there once, in the right order");
    expect((await start("kill-and-resume", [], { cwd })).lines.at(-1)).toBe("nothing was left to do: 0 items were run");
  });

  it("slurm, at home", async () => {
    const { status, lines, stderr } = await start("slurm", ["parallel.env=process", "~parallel.options"]);
    expect({ status, stderr }).toEqual(fine);
    expect(lines).toEqual([expect.stringMatching(/^17984 primes below 200000, counted on \S+$/)]);
  });
});

const reason = whyNotSlurm();

describe.skipIf(reason !== undefined)(`examples/slurm on a real Slurm${because(reason)}`, () => {
  let cluster: SlurmCluster;
  beforeAll(async () => {
    cluster = await startSlurm({ nodes: 2 });
  });
  afterAll(() => cluster?.stop());

  it("counts primes in jobs", { timeout: 300_000 }, async () => {
    const args = ["+parallel.options.poll_interval=1"];
    const { status, lines } = await start("slurm", args, { env: { ...process.env, ...cluster.environment } });
    expect(status).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^17984 primes below 200000, counted on (n1|n2|localhost)/)]);
  });
});
