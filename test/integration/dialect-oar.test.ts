// The dialect of OAR against a real one: Debian's packages, started for this file alone.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { oar } from "../../src/launchers/schedulers/oar.ts";
import { type OarCluster, startOar, whyNotOar } from "../support/clusters/oar.ts";
import { because } from "../support/clusters/why-not.ts";
import { areAll, type DialectAtWork, dialectAtWork, showingWords } from "../support/dialect-at-work.ts";
import { compareWithGuide } from "../support/guide/compare-with-guide.ts";
import { hostileWords } from "../support/sample-jobs.ts";

const reason = whyNotOar();

// Side by side: most of the time OAR waits for its next round.
describe.skipIf(reason !== undefined).concurrent(`a real OAR${because(reason)}`, { timeout: 300_000 }, () => {
  let cluster: OarCluster;
  let folder: string;
  let work: DialectAtWork;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "millrace-oar-it's $(here) "));
    cluster = await startOar({ cores: 8, queues: ["cpu"] });
    work = dialectAtWork(oar, cluster.environment, folder);
  }, 300_000);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("passes on every word unchanged, to each task of an array, and runs nothing else", async ({ expect }) => {
    const { id, job, read, until } = await work.submit("words", showingWords(hostileWords));
    expect(oar.parseFound(await work.textOf(oar.find(job.name, {})), job.name)).toBe(id);
    await until(areAll(2, "ended"));
    for (const task of [0, 1]) expect(JSON.parse(read(task))).toEqual(hostileWords);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  });

  it("keeps to the nodes that are not excluded, and reports exit codes", async ({ expect }) => {
    const [good, bad] = cluster.nodes;
    const command = ["sh", "-c", "cat $OAR_NODEFILE; exit 3"];
    const { read, until } = await work.submit("nodes", command, { excluded: [bad!] });
    const statuses = await until(areAll(2, "lost"));
    expect(statuses.map(({ node, detail }) => [node, detail])).toEqual([
      [good, "Terminated, exit code 3"],
      [good, "Terminated, exit code 3"],
    ]);
    expect(read(0).trim()).toBe(good);
  });

  it("ends what is cancelled and does not mind what is gone", async ({ expect }) => {
    const { id, until } = await work.submit("cancel", ["sleep", "100"]);
    await until(areAll(2, "running"));
    // Only what waits.
    await work.call(oar.cancelWaiting!(id, [0, 1], {}));
    await until(areAll(2, "running"));
    await work.textOf(oar.cancel([id], {}));
    await until(areAll(2, "cancelled"));
    const again = await work.call(oar.cancel([id], {}));
    if (again.kind === "refusal") expect(oar.isGone!(again.why)).toBe(true);
    expect(oar.parseStatus(await work.textOf(oar.status(["99999"], {})))).toEqual([]);
  });

  it("cancels what waits", async () => {
    const options = { job_extra_directives: ["--hold"] };
    const { id, until } = await work.submit("waiting", ["sleep", "100"], { options });
    await until(areAll(2, "pending"));
    await work.textOf(oar.cancelWaiting!(id, [0, 1], {}));
    await until(areAll(2, "cancelled"));
  });

  it("warns the first process before the walltime, and reports the time left", async ({ expect }) => {
    const script = "trap 'echo warned; exit 0' TERM; while :; do sleep 0.2; done";
    const options = { walltime: "60s", grace: 10 };
    const { id, read, until } = await work.submit("warning", ["sh", "-c", script], { tasks: 1, options });
    await until(areAll(1, "running"));
    const answer = await work.textOf(oar.timeLeft!.ask({ OAR_JOB_ID: id })!);
    const left = oar.timeLeft!.parse(answer, { environment: {}, nowMs: Date.now() });
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60);
    await until(areAll(1, "ended"));
    expect(read(0)).toBe("warned\n");
  });

  it("leaves the folder of a run as the guide does", async (test) => {
    await compareWithGuide(test, { env: "oar", workers: 1, items: 6, shards: 3 }, cluster.environment);
  });

  it("refuses a queue there is not", async ({ expect }) => {
    await expect(work.submit("queue", ["true"], { options: { queue: "nosuch" } })).rejects.toThrow(/does not exist/);
  });
});
