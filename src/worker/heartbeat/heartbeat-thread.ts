// The program of the heartbeat thread of a worker process.
import { workerData } from "node:worker_threads";
import { everyTick } from "./every-tick.ts";
import type { HeartbeatData } from "./heartbeat-protocol.ts";
import { openBeat } from "./open-beat.ts";

const data = workerData as HeartbeatData;

everyTick(
  data.control,
  data.beatMs,
  openBeat(data, () => process.kill(process.pid, "SIGKILL")),
);
