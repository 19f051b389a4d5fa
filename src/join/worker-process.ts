// The program of a worker process. Its launcher passes the run folder and the worker's name.
import { identify } from "../store/process-identity.ts";
import type { Watch } from "../worker/heartbeat-protocol.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import { type WorkerMessage, warnedOrder } from "../worker/worker-line.ts";
import { openOrders } from "./orders.ts";
import { printAtOnce } from "./print-at-once.ts";
import { serveLauncher } from "./serve-launcher.ts";

const [runDir, name, driver] = process.argv.slice(2) as [string, string, string];
// Not process.ppid: the driver may be gone already, and then that is whoever has adopted this process.
const parentPid = Number(driver);

// Ctrl-C reaches every process of the terminal; the driver tells its workers itself what to do.
process.on("SIGINT", () => {});

printAtOnce({ runDir, name });
const orders = openOrders();
// A scheduler may warn every process of a job, and not only the first.
for (const warning of ["SIGTERM", "SIGUSR2"] as const)
  process.on(warning, () => {
    // At once: the user's code may have a handler of its own that ends the process.
    const message: WorkerMessage = { say: "warned" };
    if (process.connected) process.send?.(message, () => {});
    orders.take(warnedOrder);
  });
process.on("message", orders.take);
await orders.begun;

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs, parentPid });

await serveLauncher(
  { runDir, name, watch, watcher: identify(parentPid), ownsProcess: true },
  { send: (message) => void process.send?.(message), onOrder: orders.hear },
);
// The user's env may have left something open that would keep the process alive.
process.exit(0);
