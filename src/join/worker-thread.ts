// The program of a worker thread.
import { parentPort, workerData } from "node:worker_threads";
import type { Watch } from "../worker/heartbeat-protocol.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import { stuckChannel, type WorkerStart } from "../worker/worker-line.ts";
import { serveLauncher } from "./serve-launcher.ts";

const { runDir, name } = workerData as WorkerStart;
const port = parentPort!;

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs, endBy: { channel: stuckChannel(name) } });

await serveLauncher(
  { runDir, name, watch, ownsProcess: false },
  {
    send: (message) => port.postMessage(message),
    onOrder: (listener) => void port.on("message", listener),
  },
);
process.exit(0);
