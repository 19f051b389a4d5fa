import type { ReportData } from "../../../src/dashboard/run-view.ts";
import type { RunSource } from "./run-source.ts";

/** Answers from what a report holds. */
export function reportSource({ card, snapshot, failures, plan, logs }: ReportData): RunSource {
  const textOf = (name: string) => logs.find((log) => log.name === name)?.text ?? "";
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
    // A report has the end of a log, and all of it at once.
    log: async (_id, name) => {
      const bytes = logs.find((log) => log.name === name)?.bytes ?? 0;
      return { text: textOf(name), from: 0, next: bytes, bytes };
    },
    plan: async () => plan,
    shard: async () => undefined,
    act: async () => ({ ok: false, message: "A report cannot change the run." }),
  };
}
