// The program of a worker thread.
import { parentPort, workerData } from "node:worker_threads";
import type { WorkOptions } from "../../contract/work-options.ts";
import { assignWorker } from "../../runtime/current-worker.ts";
import type { Watch } from "../heartbeat/heartbeat-protocol.ts";
import type { ThreadStart, WorkerResponse } from "../messages.ts";
import { openRequestInbox } from "./request-inbox.ts";
import { serveLauncher } from "./serve-launcher.ts";

const { runDir, name, current } = workerData as ThreadStart;
const send = (response: WorkerResponse) => parentPort!.postMessage(response);

assignWorker(current);
postOutput(send);
const inbox = openRequestInbox();
parentPort!.on("message", inbox.receive);
await inbox.begun;

const watch = ({ itemTimeoutMs }: WorkOptions): Watch => ({ itemTimeoutMs });

await serveLauncher(
  {
    runDir,
    name,
    watch,
    ownsProcess: false,
    // The heartbeat of this worker runs in the driver's thread, which runs no items.
    startHeartbeatThread(data) {
      send({ kind: "start heartbeat", data });
      return { stop: () => send({ kind: "stop heartbeat" }) };
    },
  },
  { send, subscribe: inbox.subscribe },
);
process.exit(0);

/**
 * Posts the output of a thread as messages, which arrive even if the thread ends right after. Node.js itself waits for
 * an acknowledgement before it passes on more, and drops the rest when the thread ends.
 */
function postOutput(send: (response: WorkerResponse) => void): void {
  for (const stream of ["stdout", "stderr"] as const)
    Object.assign(process[stream], {
      _write(chunk: string | Uint8Array, encoding: BufferEncoding, done: () => void) {
        // Copied: a message would transfer the whole memory block that a small buffer is part of.
        const bytes = new Uint8Array(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
        send({ kind: "output", stream, bytes });
        done();
      },
      _writev: null,
    });
}
