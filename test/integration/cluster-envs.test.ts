import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ParallelInput, type RunnerOptions, runStatus } from "millrace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGridEngine, whyNotGridEngine } from "../support/clusters/sge.ts";
import { startSshd, whyNotSshd } from "../support/clusters/sshd.ts";
import { waitUntil } from "../support/clusters/wait-until.ts";
import { because, findProgram } from "../support/clusters/why-not.ts";
import { ended } from "../support/ended.ts";
import { compareWithGuide } from "../support/guide/compare-with-guide.ts";
import { removeFolder } from "../support/remove-folder.ts";

type DetachedOptions = RunnerOptions & { readonly asyncMode?: boolean };

// Every env but slurm, which has suites of its own: the same few promises on each.
interface Site {
  readonly environment: NodeJS.ProcessEnv;
  /** The same, with all that the guide's example takes for granted. */
  readonly asInGuide?: NodeJS.ProcessEnv;
  readonly options: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

interface ClusterEnv {
  readonly env: NonNullable<ParallelInput["env"]>;
  /** Whether jobs continue without their driver. */
  readonly outlivesDriver: boolean;
  readonly whyNot: string | undefined;
  start(): Promise<Site>;
}

const script = fileURLToPath(new URL("../fixtures/children/cluster-run.mjs", import.meta.url));
const cli = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));
const count = 120;
// A worker looks for orders more often than this.
const noticeMs = 500;

const envs: readonly ClusterEnv[] = [
  { env: "sge", outlivesDriver: true, whyNot: whyNotGridEngine(), start: gridEngine },
  { env: "ssh", outlivesDriver: false, whyNot: whyNotSshd(), start: sshd },
  ...(["pbs", "lsf", "htcondor", "oar", "moab", "kube"] as const).map(
    (env): ClusterEnv => ({ env, outlivesDriver: true, whyNot: undefined, start: () => fake(env) }),
  ),
];

const places: string[] = [];
afterAll(async () => {
  for (const place of places) await removeFolder(place);
});

function temporaryFolder(): string {
  const place = mkdtempSync(join(tmpdir(), "millrace-test-"));
  places.push(place);
  return place;
}

let expected: string[];
beforeAll(async () => {
  const outputDir = temporaryFolder();
  await run({ options: { outputDir, parallel: { env: "local" } } }, process.env);
  expected = shardBytes(outputDir);
});

// The envs side by side: their tests wait for schedulers most of the time.
describe.concurrent.each(envs.map((one) => [`${one.env}${because(one.whyNot)}`, one] as const))("%s", (_title, one) => {
  describe.skipIf(one.whyNot !== undefined).sequential("a run", () => {
    let site: Site;
    beforeAll(async () => {
      site = await one.start();
    });
    afterAll(() => site?.stop());
    const optionsFor = (outputDir: string, more: DetachedOptions = {}): DetachedOptions => ({
      outputDir,
      leaseTtl: 3000,
      parallel: { env: one.env, n_workers: 3, options: site.options },
      ...more,
    });

    it("leaves the bytes that local leaves", async () => {
      const outputDir = temporaryFolder();
      const { stdout } = await run({ options: optionsFor(outputDir) }, site.environment);
      expect(stdout.trim()).toBe("111");
      expect(shardBytes(outputDir)).toEqual(expected);
      expect(leftOvers(outputDir)).toEqual([]);
    });

    it("is finished and merged by its jobs alone once it is submitted", async () => {
      const outputDir = temporaryFolder();
      const [asyncSpecsDir, asyncResultDir] = [temporaryFolder(), temporaryFolder()];
      const options = optionsFor(outputDir, { asyncMode: true, asyncSpecsDir, asyncResultDir });
      const { stdout } = await run({ options, act: "submit" }, site.environment);
      const submitted = JSON.parse(stdout) as { jobs: { workers: number }[]; specs: string[] };
      expect(submitted.jobs.reduce((sum, { workers }) => sum + workers, 0)).toBeGreaterThanOrEqual(3);
      expect(submitted.specs.length).toBeGreaterThan(0);
      await untilComplete(outputDir);
      expect(shardBytes(outputDir)).toEqual(expected);
      const results = readdirSync(asyncResultDir).filter((name) => name.endsWith(".jsonl"));
      expect(results).toHaveLength(readdirSync(outputDir).filter((name) => name.startsWith("split.")).length);
    });

    it("that is cancelled leaves no job and no lease, and continues when it is started again", async () => {
      const outputDir = temporaryFolder();
      const held = { options: optionsFor(outputDir), holdIn: temporaryFolder() };
      const end = ended(start({ ...held, itemMs: noticeMs }, site.environment));
      await untilBegun(outputDir);
      await cancelHeld(outputDir, { order: "stop", words: [], holdIn: held.holdIn }, site.environment);
      expect((await end).code).not.toBe(0);
      await waitUntil(async () => (await runStatus(outputDir)).state === "stopped", { what: "no worker runs" });
      expect(leftOvers(outputDir)).toEqual([]);
      await run({ options: held.options }, site.environment);
      expect(shardBytes(outputDir)).toEqual(expected);
    });

    // With fakes, all of them are compared elsewhere.
    it.runIf(one.env === "sge" || one.env === "ssh")("ends with the folder that the guide ends with", (test) =>
      compareWithGuide(test, { env: one.env, workers: 1, items: 6, shards: 3 }, site.asInGuide),
    );

    // One scheduler and one without: the policy is the same for all.
    it.runIf(one.env === "lsf" || one.env === "ssh")(
      "that is drained commits what was begun, leaves no job, and continues when it is started again",
      async () => {
        const outputDir = temporaryFolder();
        const held = { options: optionsFor(outputDir), holdIn: temporaryFolder() };
        const end = ended(start({ ...held, itemMs: noticeMs }, site.environment));
        await untilBegun(outputDir);
        await cancelHeld(outputDir, { order: "drain", words: ["--drain"], holdIn: held.holdIn }, site.environment);
        expect((await end).stderr).toMatch(/was stopped with \d+ shards to do/);
        expect(leftOvers(outputDir)).toEqual([]);
        expect(readdirSync(join(outputDir, ".millrace", "attempts"))).toEqual([]);
        expect(await runStatus(outputDir)).toMatchObject({ state: "stopped", workers: [], jobs: undefined });
        expect(shardBytes(outputDir)).not.toEqual([]);
        await run({ options: held.options }, site.environment);
        expect(shardBytes(outputDir)).toEqual(expected);
      },
    );

    it("survives its driver, or is continued by the next one", async () => {
      const outputDir = temporaryFolder();
      const held = { options: optionsFor(outputDir), holdIn: temporaryFolder() };
      const child = start(held, site.environment);
      await untilBegun(outputDir);
      child.kill("SIGKILL");
      letGo(held.holdIn);
      if (one.outlivesDriver) await untilComplete(outputDir);
      else await run({ options: held.options }, site.environment);
      expect(shardBytes(outputDir)).toEqual(expected);
    });

    it("refuses an option that is not known", async () => {
      const options = optionsFor(temporaryFolder());
      const bad = { ...options, parallel: { ...options.parallel, options: { ...site.options, quueue: "x" } } };
      const { code, stderr } = await ended(start({ options: bad }, site.environment));
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/"quueue" is not known to env/);
    });
  });
});

interface Order {
  readonly options: DetachedOptions;
  /** No item ends before `letGo` with this folder: however busy the machine is, the run is not over before. */
  readonly holdIn?: string;
  /** How long each item takes after that. */
  readonly itemMs?: number;
  readonly act?: string;
}

function start({ options, holdIn, itemMs = 0, act }: Order, environment: NodeJS.ProcessEnv): ChildProcess {
  const order = {
    count,
    act,
    config: { notes: holdIn ?? temporaryFolder(), itemMs, isHeld: holdIn !== undefined },
    // A run that was held continues with items that are not.
    options: { acceptChange: true, shards: 30, ...options },
  };
  return spawn(process.execPath, [script, JSON.stringify(order)], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function run(order: Order, environment: NodeJS.ProcessEnv): Promise<{ stdout: string }> {
  const { code, stdout, stderr } = await ended(start(order, environment));
  if (code !== 0) throw new Error(`the run failed (${code}):\n${stderr}`);
  return { stdout };
}

async function millrace(words: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [cli, ...words], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const { code, stderr } = await ended(child);
  if (code !== 0) throw new Error(`millrace ${words.join(" ")} failed (${code}):\n${stderr}`);
}

async function untilComplete(outputDir: string): Promise<void> {
  await waitUntil(async () => (await runStatus(outputDir)).state === "complete", {
    what: "the run is complete and merged",
    details: () => logs(outputDir),
  });
}

function logs(outputDir: string): string {
  const folder = join(outputDir, ".millrace", "logs");
  if (!existsSync(folder)) return "";
  return readdirSync(folder)
    .map((name) => `\n--- ${name}\n${readFileSync(join(folder, name), "utf8")}`)
    .join("");
}

/** Waits until a worker has a current shard. */
async function untilBegun(outputDir: string): Promise<void> {
  const begun = async () => (await runStatus(outputDir)).workers.some(({ shard }) => shard !== undefined);
  await waitUntil(begun, { what: "a shard is running", details: () => logs(outputDir) });
}

function letGo(holdIn: string): void {
  writeFileSync(join(holdIn, "go"), "");
}

/** Cancels a run whose items are held, and lets them go once the order is there. */
async function cancelHeld(
  outputDir: string,
  { order, words, holdIn }: { readonly order: "stop" | "drain"; readonly words: string[]; readonly holdIn: string },
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const cancelled = millrace(["cancel", outputDir, ...words], environment);
  const isOrdered = () => existsSync(join(outputDir, ".millrace", order));
  await Promise.race([cancelled, waitUntil(isOrdered, { what: "the order is there" })]);
  letGo(holdIn);
  await cancelled;
}

function shardBytes(outputDir: string): string[] {
  return readdirSync(outputDir)
    .filter((name) => name.startsWith("split."))
    .sort()
    .map((name) => `${name}: ${readFileSync(join(outputDir, name, "records.jsonl"), "utf8")}`);
}

function leftOvers(outputDir: string): string[] {
  const list = (name: string) => readdirSync(join(outputDir, ".millrace", name)).map((entry) => `${name}/${entry}`);
  return [...list("leases"), ...list("workers")];
}

async function gridEngine(): Promise<Site> {
  const { environment, stop } = await startGridEngine({ slots: 4, queue: "cpu" });
  return { environment, asInGuide: environment, stop, options: {} };
}

async function sshd(): Promise<Site> {
  const { hostNames, options, stop } = await startSshd({ hosts: 2 });
  // A user's own ssh_config knows the hosts; here a program in the place of ssh does.
  const programs = temporaryFolder();
  const words = [findProgram("ssh")!, ...options].map((word) => `'${word}'`).join(" ");
  writeFileSync(join(programs, "ssh"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const asInGuide = { ...process.env, PATH: [programs, process.env["PATH"]].join(delimiter) };
  return { environment: process.env, asInGuide, stop, options: { hosts: hostNames, ssh_arguments: options } };
}

async function fake(env: string): Promise<Site> {
  const folder = temporaryFolder();
  const programs = fileURLToPath(new URL(`../fixtures/fakes/on-path/${env}`, import.meta.url));
  const environment = {
    ...process.env,
    FAKE_CLUSTER: folder,
    FAKE_REQUEUE_AFTER_S: "0",
    PATH: `${programs}${delimiter}${process.env["PATH"]}`,
  };
  // Not where such programs look by default: a later query must name the place.
  const elsewhere: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    kube: { image: "node:20", volume_claim: "data", mount_path: folder, namespace: "speech", context: "lab" },
    htcondor: { submit_command_extra: ["-name", "far", "-pool", "lab"] },
  };
  return {
    environment,
    options: elsewhere[env] ?? {},
    stop: () => removeFolder(folder),
  };
}
