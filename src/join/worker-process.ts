// The program of a worker process. Its launcher passes the run folder and the worker's name.
import { identify } from "../store/process-identity.ts";
import type { Watch } from "../worker/heartbeat-protocol.ts";
import type { WorkOptions } from "../worker/work-options.ts";
import { beginOrder, warnedOrder } from "../worker/worker-line.ts";
import { serveLauncher } from "./serve-launcher.ts";

const [runDir, name, driver] = process.argv.slice(2) as [string, string, string];
// Not process.ppid: the driver may be gone already, and then that is whoever has adopted this process.
const parentPid = Number(driver);

// Ctrl-C reaches every process of the terminal; the driver tells its workers itself what to do.
process.on("SIGINT", () => {});

// Started before the run is prepared; what it is told meanwhile is kept.
const orders: unknown[] = [];
let onOrder = (order: unknown): void => void orders.push(order);
// A scheduler may warn every process of a job, and not only the first.
for (const warning of ["SIGTERM", "SIGUSR2"] as const) process.on(warning, () => onOrder(warnedOrder));
await new Promise<void>((resolve) => {
  process.on("message", (order) => {
    if (order === beginOrder) resolve();
    else onOrder(order);
  });
});

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs, parentPid });

await serveLauncher(
  { runDir, name, watch, watcher: identify(parentPid), ownsProcess: true },
  {
    send: (message) => void process.send?.(message),
    onOrder(listener) {
      for (const order of orders) listener(order);
      onOrder = listener;
    },
  },
);
// The user's env may have left something open that would keep the process alive.
process.exit(0);
