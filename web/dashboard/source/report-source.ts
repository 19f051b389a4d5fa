import type { ReportData } from "../../../src/dashboard/run-view.ts";
import type { RunSource } from "./run-source.ts";

/** A data source that reads from a report. */
export function reportSource({ card, snapshot, failures, plan, logs }: ReportData): RunSource {
  return {
    isLive: false,
    keptFailures: failures.failures.length,
    runs: async () => [card],
    watch(_id, listener) {
      listener.snapshot(snapshot);
      return () => {};
    },
    failures: async (_id, offset, limit) => ({
      ...failures,
      offset,
      failures: failures.failures.slice(offset, offset + limit),
    }),
    logs: async () => logs.map(({ name, bytes }) => ({ name, bytes })),
    // A report has only the end of a log, all at once.
    log: async (_id, name) => {
      const { text, bytes } = logs.find((log) => log.name === name) ?? { text: "", bytes: 0 };
      const from = Math.max(0, bytes - new TextEncoder().encode(text).length);
      return { text, from, next: bytes, bytes };
    },
    plan: async () => plan,
    shard: async () => undefined,
    act: async () => ({ ok: false, message: "A report cannot change the run." }),
  };
}
