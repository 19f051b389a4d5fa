import type { ServerResponse } from "node:http";
import type { RunWatch } from "../view/watch-run.ts";

const beatMs = 15_000;
const reconnectMs = 2000;
// A reader that is this far behind is given a new snapshot when it has caught up, and nothing until then.
const leastQueueBytes = 1 << 20;

/** Tells a browser how a run goes until it has heard enough: server-sent events. */
export function openEventStream(response: ServerResponse, watch: RunWatch, onClose: () => void): void {
  let isBehind = false;
  let queueBytes = leastQueueBytes;
  let stop = () => {};
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  });
  response.write(`retry: ${reconnectMs}\n\n`);
  const beat = setInterval(() => {
    if (!isBehind) response.write(":\n\n");
  }, beatMs);
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
        queueBytes = Math.max(leastQueueBytes, 2 * json.length);
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

  // JSON has no line breaks outside of strings, and none inside that are not escaped.
  function send(event: string, json: string): void {
    response.write(`event: ${event}\ndata: ${json}\n\n`);
  }
}
