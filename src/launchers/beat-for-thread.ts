import type { HeartbeatData } from "../worker/heartbeat-protocol.ts";
import { openBeat } from "../worker/open-beat.ts";

const beats = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/**
 * Has the heart of a worker thread beat in this one, which runs no items: a thread more for each worker would take some
 * 50 ms of a core. Answers how to end it.
 */
export function beatForThread(data: HeartbeatData, endWorker: () => void): () => void {
  const beat = openBeat(data, endWorker);
  beats.add(beat);
  timer ??= setInterval(() => {
    for (const each of beats) each();
  }, data.beatMs).unref();
  return () => {
    beats.delete(beat);
    if (beats.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
