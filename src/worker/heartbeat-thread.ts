import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { Lease } from "../store/lease.ts";
import { runPaths } from "../store/run-paths.ts";
import type { WorkerReport } from "../store/worker-report.ts";
import { controlSlot, counterSlot, type HeartbeatData, mergeCode, nothingHeld } from "./heartbeat-protocol.ts";

const data = workerData as HeartbeatData;
const { control, counters } = data;
const paths = runPaths(data.runDir);
const lease = JSON.parse(data.leaseText) as Lease;

let lastRenewMs = 0;
let lastReportMs = 0;
let doneAtLastReport = 0;
let rate = 0;

setInterval(() => {
  Atomics.add(control, controlSlot.tick, 1);
  const now = performance.now();
  if (now - lastRenewMs >= data.renewMs) renew(now);
  if (now - lastReportMs >= data.reportMs) report(now);
}, data.tickMs);

// Writing the bytes again gives the lease the file system's own time; utimes would give it this host's.
function renew(now: number): void {
  lastRenewMs = now;
  const held = Atomics.load(control, controlSlot.held);
  const epoch = Atomics.load(control, controlSlot.epoch);
  if (held === nothingHeld) return;
  try {
    const fd = openSync(paths.lease(held === mergeCode ? "merge" : held, epoch), "r+");
    writeSync(fd, data.leaseText);
    closeSync(fd);
  } catch (error) {
    const gone = (error as { code?: string }).code === "ENOENT";
    // The worker may have committed meanwhile; then it holds something else by now.
    if (gone && Atomics.load(control, controlSlot.epoch) === epoch && Atomics.load(control, controlSlot.held) === held) {
      Atomics.store(control, controlSlot.lostEpoch, epoch);
    }
  }
}

function report(now: number): void {
  const done = counters[counterSlot.done]!;
  const recent = (done - doneAtLastReport) / ((now - lastReportMs) / 1000);
  rate = rate === 0 ? recent : rate * 0.7 + recent * 0.3;
  lastReportMs = now;
  doneAtLastReport = done;
  const content: WorkerReport = {
    ...lease,
    shard: Atomics.load(control, controlSlot.held),
    epoch: Atomics.load(control, controlSlot.epoch),
    position: counters[counterSlot.position]!,
    done,
    failed: counters[counterSlot.failed]!,
    dropped: counters[counterSlot.dropped]!,
    itemsPerSecond: rate,
  };
  try {
    writeFileSync(paths.worker(data.worker), JSON.stringify(content));
  } catch {
    // A full disk must not end the heartbeat: the lease needs no new space.
  }
}
