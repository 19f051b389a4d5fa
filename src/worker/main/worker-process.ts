// The program of a worker process. Its launcher passes the run folder and the worker's name.

import type { WorkOptions } from "../../contract/work-options.ts";
import { identify } from "../../run-folder/lease/process-identity.ts";
import type { Watch } from "../heartbeat/heartbeat-protocol.ts";
import type { WorkerResponse } from "../messages.ts";
import { printAtOnce } from "./print-at-once.ts";
import { openRequestInbox } from "./request-inbox.ts";
import { serveLauncher } from "./serve-launcher.ts";

const [runDir, name, driver] = process.argv.slice(2) as [string, string, string];
// Not process.ppid: if the driver has ended, that is another process.
const parentPid = Number(driver);

// Ctrl-C sends SIGINT to every process of the terminal. Workers ignore it and wait for the driver's request.
process.on("SIGINT", () => {});

printAtOnce({ runDir, name });
const inbox = openRequestInbox();
// A scheduler may send its warning to every process of a job, not only to the first.
for (const warning of ["SIGTERM", "SIGUSR2"] as const)
  process.on(warning, () => {
    // Sent first: the user's code may have a handler that ends the process.
    const response: WorkerResponse = { kind: "warned" };
    if (process.connected) process.send?.(response, () => {});
    inbox.receive({ kind: "signalled" });
  });
process.on("message", inbox.receive);
await inbox.begun;

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs, parentPid });

await serveLauncher(
  { runDir, name, watch, watcher: identify(parentPid), ownsProcess: true },
  { send: (response) => void process.send?.(response), subscribe: inbox.subscribe },
);
// The user's env may have left something open that would keep the process alive.
process.exit(0);
