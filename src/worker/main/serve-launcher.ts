import { packError } from "../../errors/pack-error.ts";
import { whenSynced } from "../../run-folder/files/group-sync.ts";
import { isStoreError, storeErrorOf } from "../../run-folder/files/store-trouble.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { type JoinRequest, joinRun } from "../join/join-run.ts";
import type { WorkerRequest, WorkerResponse } from "../messages.ts";

// With more shards the message would cost more than it saves.
const maxReportedShards = 2000;

/** The connection between a worker and the launcher that started it. */
export interface LauncherConnection {
  send(response: WorkerResponse): void;
  subscribe(listener: (request: WorkerRequest) => void): void;
}

/** Joins a run and reports to the launcher. Resolves when all files are flushed. */
export async function serveLauncher(
  request: Omit<JoinRequest, "onReady" | "onFailing" | "isAskedToLeave" | "isLaunched">,
  launcher: LauncherConnection,
): Promise<void> {
  let isAsked = false;
  let isWarned = false;
  launcher.subscribe(({ kind }) => {
    if (kind === "leave") isAsked = true;
    if (kind === "signalled") isWarned = true;
  });
  reportUncaught(launcher, request.runDir);
  try {
    const { outcome, committed } = await joinRun({
      ...request,
      isLaunched: true,
      isAskedToLeave: () => isAsked || isWarned,
      onReady: () => launcher.send({ kind: "ready" }),
      onFailing: (error) =>
        launcher.send({ kind: "failing", error: packError(storeErrorOf(error, request.runDir), "WORKER_CRASHED") }),
    });
    // The launcher replaces a recycled worker, unless it is stopping the whole run.
    const isReplaced = outcome === "left" && isWarned;
    launcher.send({
      kind: "end",
      outcome: isReplaced ? "recycled" : outcome,
      committed: committed.size > maxReportedShards ? [] : [...committed.values()],
    });
  } catch (error) {
    launcher.send({ kind: "failed", error: packError(storeErrorOf(error, request.runDir), "WORKER_CRASHED") });
  }
  await whenSynced();
}

/** Reports an uncaught error to the launcher. It ends the worker, as it ends any Node.js program. */
function reportUncaught(launcher: LauncherConnection, runDir: string): void {
  process.on("uncaughtException", (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code === "RUN_IN_WORKER") {
      launcher.send({ kind: "failed", error: packError(error, "RUN_IN_WORKER") });
    } else if (storeErrorOf(error, runDir) !== error || isStoreError(error)) {
      launcher.send({ kind: "failed", error: packError(storeErrorOf(error, runDir), "STORE_IO") });
    } else {
      const text = maskSecrets(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.stderr.write(`${text}\n`);
      launcher.send({ kind: "uncaught", message: text.split("\n", 1)[0]! });
    }
    process.exit(1);
  });
}
