import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStatus } from "millrace";
import { describe, expect, it, vi } from "vitest";
import { collectReport } from "../../src/dashboard/collect-report.ts";
import type {
  ActionAnswer,
  FailurePage,
  LogEntry,
  LogPiece,
  PlanView,
  RunCard,
  ShardView,
} from "../../src/dashboard/run-view.ts";
import { addresses } from "../../src/dashboard/run-view.ts";
import { hasProcesses } from "../support/chaos.ts";
import { program } from "../support/cli/project.ts";
import { clientOf, startDashboard } from "../support/dashboard-client.ts";
import { commitByHand, makeRun } from "../support/made-run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { watchedRun } from "../support/watched-run.ts";

const until = (condition: () => unknown) => vi.waitUntil(condition, { timeout: 200_000, interval: 50 });

describe("a run that is watched", () => {
  it("is seen from its beginning over the death of a worker to its merge", async ({ skip }) => {
    if (!hasProcesses) skip("there is no /proc");
    // Items are slow, so a worker seen at a shard is still at it when it is killed: between two shards there is no
    // attempt to lose.
    const run = watchedRun({ items: 200, shards: 10, itemMs: 2000 });
    mkdirSync(run.exp, { recursive: true });
    const dashboard = await startDashboard({ dir: run.exp });
    expect((await dashboard.ask(addresses.runs)).json()).toEqual([]);
    const driver = run.start();
    await until(async () => (await runStatus(run.dir).catch(() => undefined))?.state === "running");
    let cards: RunCard[] = [];
    await until(async () => {
      cards = (await dashboard.ask(addresses.runs)).json();
      return cards.length > 0;
    });
    expect(cards).toMatchObject([{ folder: "run", state: "running", items: { total: 200 } }]);
    const seen = dashboard.follow(addresses.stream(cards[0]!.id));
    await until(() => seen.now?.overview.workers.length === 2 && seen.now.shards.includes("r"));
    // One that has been at a shard for a while: its heartbeat shows its position.
    await until(() => seen.now!.overview.workers.some(({ position, shard }) => shard !== null && position > 0));
    const victim = seen.now!.overview.workers.find(({ position, shard }) => shard !== null && position > 0)!;
    expect(victim).toMatchObject({ shardItems: 20, rss: expect.any(Number) });
    process.kill(victim.pid, "SIGKILL");
    await until(() => seen.now!.attempts.some(({ outcome }) => outcome === "lost"));
    run.touch("go");
    expect(await driver.ended).toBe(0);
    // The driver reports its merge just after that.
    await until(
      () => seen.now!.overview.state === "complete" && seen.now!.attempts.some(({ unit }) => unit === "merge"),
    );
    const { overview, shards, attempts, rates } = seen.now!;
    const lost = attempts.find(({ outcome }) => outcome === "lost")!;
    expect(lost).toMatchObject({ worker: victim.worker, reason: "the worker was ended by SIGKILL" });
    // The same shard again, by another worker, later.
    const again = attempts.find(({ unit, attempt }) => unit === lost.unit && attempt === lost.attempt + 1)!;
    expect(again.outcome).toBe("committed");
    expect(again.worker).not.toBe(lost.worker);
    expect(again.began).toBeGreaterThanOrEqual(lost.began);
    expect(attempts.filter(({ outcome }) => outcome === "committed")).toHaveLength(11);
    // They are listed worker by worker.
    const byEnd = [...attempts].sort((a, b) => a.ended - b.ended);
    expect(byEnd.at(-1)).toMatchObject({ unit: "merge" });
    expect(shards).toBe("c".repeat(10));
    expect(overview).toMatchObject({ items: { done: 200, failed: 0 }, shards: { committed: 10 }, workers: [] });
    expect(rates.some(({ itemsPerSecond }) => itemsPerSecond > 0)).toBe(true);
    // A page that connects late gets the same state at once.
    const late = dashboard.follow(addresses.stream(cards[0]!.id));
    await until(() => late.now !== undefined);
    expect(late.now!.shards).toBe(shards);
    expect(late.now!.attempts.map(({ unit, attempt }) => `${unit}.${attempt}`).sort()).toEqual(
      byEnd.map(({ unit, attempt }) => `${unit}.${attempt}`).sort(),
    );
  });

  it("is begun again for its watchers when it is started over", async () => {
    const paths = makeRun(join(temporaryFolder(), "run"), 4);
    commitByHand(paths, 0);
    const dashboard = await startDashboard({ dir: paths.root });
    const [{ id }] = (await dashboard.ask(addresses.runs)).json<[RunCard]>();
    const seen = dashboard.follow(addresses.stream(id));
    await until(() => seen.now?.shards === "c...");
    rmSync(paths.shard(0), { recursive: true });
    rmSync(paths.manifest);
    makeRun(paths.root, 6);
    await until(() => seen.now?.shards === "......");
    expect(seen.snapshots).toBe(2);
  });
});

describe("actions", () => {
  it("retry the failed items, and refuse where nothing is to be done", async () => {
    const run = watchedRun({ items: 20, shards: 4, failAt: [3, 12], env: "local" });
    expect(await run.start().ended).toBe(0);
    const dashboard = await startDashboard({ dir: run.dir });
    const [{ id, items }] = (await dashboard.ask(addresses.runs)).json<[RunCard]>();
    expect(items?.failed).toBe(2);
    const page = (await dashboard.ask(addresses.failures(id, 1, 10))).json<FailurePage>();
    expect(page).toMatchObject({
      total: 2,
      offset: 1,
      failures: [{ item: 12, shard: 2, tries: 1, error: { name: "Error", message: "<img src=x onerror=no(12)>" } }],
    });
    expect(page.failures[0]!.error.stack).toContain("watched-job.mjs");
    expect(page.retryCommand).toBe(`millrace retry ${run.dir}`);
    expect((await dashboard.post(addresses.act(id, "cancel"))).json()).toEqual({
      ok: false,
      message: "The run is complete.",
    });
    run.touch("fixed");
    const answer = await dashboard.post(addresses.act(id, "retry"));
    expect([answer.status, answer.json<ActionAnswer>().ok]).toEqual([200, true]);
    await until(async () => (await runStatus(run.dir)).items.failed === 0);
    const logs = async () => (await dashboard.ask(addresses.logs(id))).json<LogEntry[]>();
    await until(async () => (await logs()).some(({ name, bytes }) => name.startsWith("driver-retry-") && bytes > 0));
    const [log] = await logs();
    await until(async () => {
      const { text } = (await dashboard.ask(addresses.log(id, log!.name, 0))).json<LogPiece>();
      return text.includes("2 items were run again, 2 succeeded");
    });
    await until(async () => (await dashboard.ask(addresses.failures(id, 0, 10))).json<FailurePage>().total === 0);
    const refused = await dashboard.post(addresses.act(id, "retry"));
    expect([refused.status, refused.json()]).toEqual([409, { ok: false, message: "No item has failed." }]);
  });

  it("drain and cancel a run that is under way, and do not retry it", async () => {
    const run = watchedRun({ items: 400, shards: 40, itemMs: 50 });
    const driver = run.start();
    await until(async () => (await runStatus(run.dir).catch(() => undefined))?.workers.length === 2);
    const dashboard = await startDashboard({ dir: run.dir });
    const [{ id }] = (await dashboard.ask(addresses.runs)).json<[RunCard]>();
    const seen = dashboard.follow(addresses.stream(id));
    expect((await dashboard.post(addresses.act(id, "retry"))).json()).toMatchObject({ ok: false });
    expect((await dashboard.post(addresses.act(id, "drain"))).json()).toMatchObject({ ok: true });
    await until(() => seen.now?.overview.stopping === "drain" || seen.now?.overview.state === "stopped");
    expect((await dashboard.post(addresses.act(id, "cancel"))).status).toBeLessThan(500);
    expect(await driver.ended).toBe(1);
    await until(() => seen.now?.overview.state === "stopped");
    expect(seen.now!.overview.stopping).toBeNull();
  });
});

describe("a run that has ended", () => {
  it("is shown whole: plan, shards, logs and report; without a history, too", async () => {
    const paths = makeRun(join(temporaryFolder(), "a run"), 3);
    commitByHand(paths, 0, 2);
    commitByHand(paths, 1);
    writeFileSync(paths.log("w"), "first\nsecond\n");
    const dashboard = await startDashboard({ dir: paths.root });
    const [card] = (await dashboard.ask(addresses.runs)).json<[RunCard]>();
    expect(card).toMatchObject({ folder: ".", state: "stopped", items: { total: 30, done: 20, failed: 2 } });
    expect((await dashboard.ask(addresses.plan(card.id))).json<PlanView>()).toMatchObject({
      items: 30,
      shards: 3,
      smallestShard: 10,
      largestShard: 10,
      runner: "Runner (file:///runner.mjs)",
      config: "dataset:\n  path: corpus\n",
      params: "",
      options: "onError: skip\n",
    });
    const shard = async (n: number) => (await dashboard.ask(addresses.shard(card.id, n))).json<ShardView>();
    expect(await shard(0)).toMatchObject({ shard: 0, from: 0, to: 10, letter: "f", worker: "hand", attempt: 1 });
    expect(await shard(2)).toMatchObject({ letter: ".", worker: null, counts: null, files: [] });
    expect((await dashboard.ask(addresses.shard(card.id, 3))).status).toBe(404);
    const report = await collectReport(paths.root);
    expect(report).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      snapshot: { shards: "fc.", attempts: [], rates: [] },
      failures: { total: 2, failures: [{ item: 0 }, { item: 1 }] },
      logs: [{ name: "w.log", text: "first\nsecond\n", bytes: 13 }],
    });
  });

  it("is listed with others, and one that cannot be read says why", async () => {
    const dir = temporaryFolder();
    for (const name of ["b", "a", "deep/er"]) makeRun(join(dir, name), 1);
    const broken = makeRun(join(dir, "broken"), 1);
    writeFileSync(broken.manifest, "{");
    const dashboard = await startDashboard({ dir });
    const cards = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    expect(cards.map(({ folder, state }) => `${folder} ${state}`)).toEqual([
      "a stopped",
      "b stopped",
      "broken unreadable",
      "deep/er stopped",
    ]);
    expect(cards[2]!.error).toContain("is damaged");
    expect(new Set(cards.map(({ id }) => id)).size).toBe(4);
    makeRun(join(dir, "new"), 1);
    await until(async () => (await dashboard.ask(addresses.runs)).json<RunCard[]>().length === 5);
  });
});

describe("millrace dashboard", () => {
  it("prints its address, answers there, has the guide, and ends with Ctrl-C", async () => {
    const { root } = makeRun(join(temporaryFolder(), "run"), 1);
    const child = spawn(process.execPath, [program, "dashboard", root, "--port", "0"], { stdio: "pipe" });
    const [address] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    const { port } = new URL(address);
    const { ask } = clientOf({ port: Number(port) });
    expect((await ask(addresses.runs)).json()).toMatchObject([{ folder: "." }]);
    expect((await ask("/guide/")).text).toContain("<title>millrace, step by step</title>");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it.each([
    [["--port", "x"], /--port is "x"; a number from 0 to 65535/],
    [["--token", "a-token-that-is-hard-to-guess"], /every user of this machine sees it in `ps`/],
    [["--token-file", "nowhere"], /--token-file: ENOENT/],
    [["--token-file", "/proc/version"], /token of the dashboard cannot be used/],
    [["nowhere"], /nowhere cannot be shown: ENOENT/],
  ])("refuses %j", async (args, message) => {
    const child = spawn(process.execPath, [program, "dashboard", ...args], { stdio: "pipe", cwd: temporaryFolder() });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code] = (await once(child, "close")) as [number];
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(message)]);
  });
});

describe("pages", () => {
  it("come compressed where that is understood, and not at all where they are known", async () => {
    const web = temporaryFolder();
    const outside = join(temporaryFolder(), "secret.html");
    writeFileSync(outside, "secret");
    for (const [name, text] of Object.entries({
      "index.html": "<p>",
      "app.js": "1",
      "app.js.br": "br!",
      "app.js.gz": "gz!",
      "notes.txt": "no",
    }))
      writeFileSync(join(web, name), text);
    symlinkSync(outside, join(web, "link.html"));
    const { ask } = await startDashboard({ dir: makeRun(join(temporaryFolder(), "run"), 1).root, web });
    const page = await ask("/");
    expect([page.status, page.text, page.headers["content-type"]]).toEqual([200, "<p>", "text/html; charset=utf-8"]);
    expect((await ask("/app.js")).text).toBe("1");
    const br = await ask("/app.js", { headers: { "accept-encoding": "gzip, br" } });
    expect([br.text, br.headers["content-encoding"], br.headers["vary"]]).toEqual(["br!", "br", "Accept-Encoding"]);
    const gz = await ask("/app.js", { headers: { "accept-encoding": "gzip, br;q=0" } });
    expect([gz.text, gz.headers["content-encoding"]]).toEqual(["gz!", "gzip"]);
    const known = await ask("/app.js", {
      headers: { "if-none-match": String((await ask("/app.js")).headers["etag"]) },
    });
    expect([known.status, known.text]).toEqual([304, ""]);
    expect((await ask("/app.js", { method: "HEAD" })).text).toBe("");
    for (const path of ["/link.html", "/notes.txt", "/app.js.br", "/../package.json", "/%2e%2e/package.json"])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});
