import type { Snapshot, Update } from "../../../src/dashboard/run-view.ts";
import type { StreamListener } from "./run-source.ts";

const firstPauseMs = 500;
const maxPauseMs = 15_000;

/** Listens to a stream of events and reconnects after errors: a browser does so by itself only in some cases. */
export function watchEvents(address: string, listener: StreamListener): () => void {
  let events: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = firstPauseMs;
  let isOver = false;

  const open = () => {
    events = new EventSource(address);
    events.addEventListener("snapshot", ({ data }: MessageEvent<string>) => {
      pauseMs = firstPauseMs;
      listener.link("live");
      listener.snapshot(JSON.parse(data) as Snapshot);
    });
    events.addEventListener("update", ({ data }: MessageEvent<string>) => {
      listener.update(JSON.parse(data) as Update);
    });
    events.addEventListener("error", () => {
      events?.close();
      if (isOver) return;
      listener.link("lost");
      timer = setTimeout(open, pauseMs);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    });
  };

  listener.link("connecting");
  open();
  return () => {
    isOver = true;
    clearTimeout(timer);
    events?.close();
  };
}
