// The program of a worker thread.
import { parentPort, workerData } from "node:worker_threads";
import type { Watch } from "../worker/heartbeat-protocol.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import type { ThreadMessage, WorkerStart } from "../worker/worker-line.ts";
import { openOrders } from "./orders.ts";
import { postOutput } from "./post-output.ts";
import { serveLauncher } from "./serve-launcher.ts";

const { runDir, name } = workerData as WorkerStart;
const send = (message: ThreadMessage) => parentPort!.postMessage(message);

postOutput(send);
const orders = openOrders();
parentPort!.on("message", orders.take);
await orders.begun;

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs });

await serveLauncher(
  {
    runDir,
    name,
    watch,
    ownsProcess: false,
    // Its driver's thread runs no items: the heart of this one beats there.
    startBeating(data) {
      send({ say: "beat", data });
      return { stop: () => send({ say: "stop beating" }) };
    },
  },
  { send, onOrder: orders.hear },
);
process.exit(0);
