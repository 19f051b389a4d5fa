import type { ServerResponse } from "node:http";
import type { RunWatch } from "../view/watch-run.ts";

const keepAliveMs = 15_000;
const reconnectMs = 2000;
// A slow reader that is this far behind gets nothing until it has caught up, and then a new snapshot.
const minQueueBytes = 1 << 20;

/** Sends the progress of a run to a browser until it disconnects: server-sent events. */
export function openEventStream(response: ServerResponse, watch: RunWatch, onClose: () => void): void {
  let isBehind = false;
  let queueBytes = minQueueBytes;
  let stop = () => {};
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
  response.write(`retry: ${reconnectMs}\n\n`);
  const beat = setInterval(() => {
    if (!isBehind) response.write(":\n\n");
  }, keepAliveMs);
  beat.unref();
  response.on("drain", () => {
    if (!isBehind) return;
    isBehind = false;
    subscribe();
  });
  response.once("close", () => {
    clearInterval(beat);
    stop();
    onClose();
  });
  subscribe();

  function subscribe(): void {
    stop();
    stop = watch.subscribe({
      onSnapshot(json) {
        queueBytes = Math.max(minQueueBytes, 2 * json.length);
        send("snapshot", json);
      },
      onUpdate(json) {
        if (response.writableLength < queueBytes) {
          send("update", json);
          return;
        }
        isBehind = true;
        stop();
      },
      onEnd: () => response.end(),
    });
  }

  // JSON has no line breaks outside of strings, and those inside are escaped.
  function send(event: string, json: string): void {
    response.write(`event: ${event}\ndata: ${json}\n\n`);
  }
}
