import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { hasLiveDriver } from "../../../src/node-job/has-live-driver.ts";
import { type RunPaths, runPaths } from "../../../src/run-folder/files/run-paths.ts";
import { firstReport, reportText } from "../../../src/run-folder/files/worker-report.ts";
import { ttlBeforeHeartbeatMs } from "../../../src/run-folder/lease/lease.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function newRun(): RunPaths {
  const paths = runPaths(temporaryFolder());
  for (const folder of [paths.workers, paths.leases]) mkdirSync(folder, { recursive: true });
  return paths;
}

/** A process on another host, as the run folder shows it. */
function beat(paths: RunPaths, { role = "driver" as "driver" | "worker", ttlMs = 400 } = {}): void {
  const lease = { worker: "someone", role, ttlMs, host: "elsewhere", pid: 1, began: "" };
  writeFileSync(paths.worker("someone"), reportText(firstReport(lease)));
}

it("is false for a run without a driver", async () => {
  const paths = newRun();
  expect(await hasLiveDriver(paths)).toBe(false);
  beat(paths, { role: "worker" });
  expect(await hasLiveDriver(paths)).toBe(false);
});

it("is true when a driver's heartbeat comes after the call", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: 60_000 });
  const asked = hasLiveDriver(paths);
  await sleep(150);
  beat(paths, { ttlMs: 60_000 });
  expect(await asked).toBe(true);
});

it("is false for a killed driver when its lease has expired", async () => {
  const paths = newRun();
  beat(paths);
  expect(await hasLiveDriver(paths)).toBe(false);
});

it("is false when the driver leaves during the call", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: 60_000 });
  const asked = hasLiveDriver(paths);
  await sleep(100);
  rmSync(paths.worker("someone"));
  expect(await asked).toBe(false);
});

it("is false at once for a driver without heartbeats for other hosts", async () => {
  const paths = newRun();
  beat(paths, { ttlMs: ttlBeforeHeartbeatMs });
  utimesSync(paths.worker("someone"), new Date(), new Date());
  expect(await hasLiveDriver(paths)).toBe(false);
});
