// Calls that wait: what ends them, and what is seen of them meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BaseRunner, EnvironmentProvider, type RunnerOptions, range, runStatus } from "millrace";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { addresses, type RunCard } from "../../src/dashboard/run-view.ts";
import type { CallCounts } from "../../src/run-folder/run/call-counts.ts";
import { deadlineVariable } from "../../src/worker/shard/deadline.ts";
import { program } from "../support/cli/project.ts";
import { startDashboard } from "../support/dashboard-client.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Env {
  readonly began: number[];
  readonly aborted: string[];
  isOpen: boolean;
}

const patience = { timeout: 20_000 } as const;

/** A run whose items wait until `isOpen`, or until their signal ends them. */
function startWaiting(count: number, options: RunnerOptions) {
  const env: Env = { began: [], aborted: [], isOpen: false };
  class Waiting extends BaseRunner<Env, object> {
    static async forward(idx: number, state: Env, { signal }: { signal: AbortSignal }) {
      state.began.push(idx);
      while (!state.isOpen) {
        if (signal.aborted) {
          state.aborted.push((signal.reason as Error).message);
          throw signal.reason;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { idx };
    }
  }
  class Provider extends EnvironmentProvider<Env> {
    buildEnvLocal() {
      return env;
    }
  }
  const outputDir = join(temporaryFolder(), "run");
  const stop = new AbortController();
  const given = { progress: false, shards: 1, outputDir, signal: stop.signal, ...options };
  const running = new Waiting(new Provider({}), given as never).run(range(count));
  running.catch(() => undefined);
  return { env, outputDir, running, stop };
}

afterEach(() => void vi.unstubAllEnvs());

describe.each([1, 4])("the signal of a call (%i open)", (concurrency) => {
  it("aborts when another worker has the shard, which is then run again", async () => {
    const { env, outputDir, running } = startWaiting(4, { concurrency, leaseTtl: 2000 });
    await expect.poll(() => env.began.length, patience).toBe(concurrency);
    // As a worker does that takes the shard over.
    const [attempts, leases] = ["attempts", "leases"].map((name) => join(outputDir, ".millrace", name));
    const [attempt] = readdirSync(attempts!);
    renameSync(join(attempts!, attempt!), join(attempts!, `${attempt}.fenced`));
    for (const lease of readdirSync(leases!)) rmSync(join(leases!, lease));
    await expect
      .poll(() => env.aborted, patience)
      .toEqual(Array(concurrency).fill("Another worker has this shard now."));
    env.isOpen = true;
    expect(await running).toEqual([0, 1, 2, 3].map((idx) => ({ idx })));
  });

  it("ends a fetch at once when the run is stopped", async () => {
    let [open, closed] = [0, 0];
    const server = createServer((_request, response) => {
      open++;
      response.on("close", () => closed++);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    class Fetching extends BaseRunner<object, string> {
      static async forward(_idx: number, _env: object, { signal }: { signal: AbortSignal }) {
        return (await fetch(url, { signal })).text();
      }
    }
    class Provider extends EnvironmentProvider<object> {
      buildEnvLocal() {
        return {};
      }
    }
    const stop = new AbortController();
    const options = { progress: false, concurrency, signal: stop.signal, outputDir: temporaryFolder() };
    const running = new Fetching(new Provider({}), options).run(range(20));
    running.catch(() => undefined);
    await expect.poll(() => open, patience).toBe(concurrency);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "RUN_STOPPED" });
    await expect.poll(() => closed, patience).toBe(concurrency);
    expect(open).toBe(concurrency);
  });
});

it("the signals of open calls abort when the time of a worker is over", async () => {
  vi.stubEnv(deadlineVariable, String(Date.now() + 3000));
  const { env, running } = startWaiting(8, { concurrency: 4 });
  await expect.poll(() => env.began.length, patience).toBe(4);
  await expect.poll(() => env.aborted.length, patience).toBe(4);
  await expect(running).rejects.toMatchObject({ code: expect.any(String) });
  expect(env.began).toHaveLength(4);
});

describe("a run whose calls wait", () => {
  it("is shown so by status and dashboard: calls in flight, and what waits for the rate limit", async () => {
    const options = { concurrency: 5, rateLimit: { perSecond: 0.2, burst: 1 } };
    const { env, outputDir, running, stop } = startWaiting(9, options);
    await expect.poll(() => env.began.length, patience).toBeGreaterThan(0);
    // Another call may begin meanwhile.
    const isWaiting = (calls: CallCounts | null | undefined) =>
      calls != null && calls.inFlight > 0 && calls.waitingForRate > 0 && calls.inFlight + calls.waitingForRate === 5;
    await expect.poll(async () => isWaiting((await runStatus(outputDir)).calls), patience).toBe(true);
    const child = spawn(process.execPath, [program, "status", outputDir], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
    await once(child, "close");
    expect(text).toMatch(/[1-4] calls? in flight, [1-4] waiting for the rate limit/);
    const dashboard = await startDashboard({ dir: join(outputDir, "..") });
    const [card] = (await dashboard.ask(addresses.runs)).json<RunCard[]>();
    const seen = dashboard.follow(addresses.stream(card!.id));
    await expect.poll(() => isWaiting(seen.now?.overview.calls), patience).toBe(true);
    expect(seen.now!.overview.workers.map(({ calls }) => isWaiting(calls))).toEqual([true]);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: "RUN_STOPPED" });
  });
});
