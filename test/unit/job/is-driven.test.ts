import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { isDriven } from "../../../src/job/is-driven.ts";
import { unbeatenTtlMs } from "../../../src/store/lease.ts";
import { type RunPaths, runPaths } from "../../../src/store/run-paths.ts";
import { firstReport, reportText } from "../../../src/store/worker-report.ts";
import { temporaryFolder } from "../../fixtures/temporary-folder.ts";

function newRun(): RunPaths {
  const paths = runPaths(temporaryFolder());
  for (const folder of [paths.workers, paths.leases]) mkdirSync(folder, { recursive: true });
  return paths;
}

/** Someone on another host, as the run folder shows. */
function beat(paths: RunPaths, { role = "driver" as "driver" | "worker", ttlMs = 400 } = {}): void {
  const lease = { worker: "someone", role, ttlMs, host: "elsewhere", pid: 1, began: "" };
  writeFileSync(paths.worker("someone"), reportText(firstReport(lease)));
}

it("nobody drives a run without a driver", async () => {
  const paths = newRun();
  expect(await isDriven(paths)).toBe(false);
  beat(paths, { role: "worker" });
  expect(await isDriven(paths)).toBe(false);
});

it("a driver is there when it shows a sign of life after it was asked for", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: 60_000 });
  const asked = isDriven(paths);
  await sleep(150);
  beat(paths, { ttlMs: 60_000 });
  expect(await asked).toBe(true);
});

it("a driver that was killed is known to be gone when its lease has run out", async () => {
  const paths = newRun();
  beat(paths);
  expect(await isDriven(paths)).toBe(false);
});

it("a driver that leaves meanwhile is gone", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: 60_000 });
  const asked = isDriven(paths);
  await sleep(100);
  rmSync(paths.worker("someone"));
  expect(await asked).toBe(false);
});

it("a driver that shows no signs of life to other hosts is not waited for", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: unbeatenTtlMs });
  utimesSync(paths.worker("someone"), new Date(), new Date());
  expect(await isDriven(paths)).toBe(false);
});
