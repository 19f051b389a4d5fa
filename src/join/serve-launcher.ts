import { packError } from "../shared/pack-error.ts";
import { whenSynced } from "../store/group-sync.ts";
import { leaveOrder, type WorkerMessage, warnedOrder } from "../worker/worker-line.ts";
import { type JoinRequest, joinRun } from "./join-run.ts";

// Above this many shards the message would cost more than it saves.
const mostTold = 2000;

/** The line between a worker and the launcher that started it. */
export interface Line {
  send(message: WorkerMessage): void;
  onOrder(listener: (order: unknown) => void): void;
}

/** Takes part in a run and tells the launcher how it goes. Answers when nothing is left to be written. */
export async function serveLauncher(
  request: Omit<JoinRequest, "onReady" | "onFailing" | "isAskedToLeave" | "isLaunched">,
  line: Line,
): Promise<void> {
  let isAsked = false;
  let isWarned = false;
  line.onOrder((order) => {
    if (order === leaveOrder) isAsked = true;
    if (order === warnedOrder) isWarned = true;
  });
  tellUncaught(line);
  try {
    const { outcome, committed } = await joinRun({
      ...request,
      isLaunched: true,
      isAskedToLeave: () => isAsked || isWarned,
      onReady: () => line.send({ say: "ready" }),
      onFailing: (error) => line.send({ say: "failing", error: packError(error, "WORKER_CRASHED") }),
    });
    // Its launcher knows whether the whole run was meant: then nobody takes its place.
    const isReplaced = outcome === "left" && isWarned;
    line.send({
      say: "end",
      outcome: isReplaced ? "recycled" : outcome,
      committed: committed.size > mostTold ? [] : [...committed.values()],
    });
  } catch (error) {
    line.send({ say: "failed", error: packError(error, "WORKER_CRASHED") });
  }
  await whenSynced();
}

/** What nobody catches ends the worker, as it would end any Node.js program; the launcher learns the reason. */
function tellUncaught(line: Line): void {
  process.on("uncaughtException", (error: unknown) => {
    if ((error as { code?: unknown } | null)?.code === "RUN_IN_WORKER") {
      line.send({ say: "failed", error: packError(error, "RUN_IN_WORKER") });
    } else {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${text}\n`);
      line.send({ say: "uncaught", message: text.split("\n", 1)[0]! });
    }
    process.exit(1);
  });
}
