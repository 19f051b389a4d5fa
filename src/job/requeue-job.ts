import { callProgram } from "../launchers/batch/call-program.ts";
import type { Scheduler } from "../launchers/batch/scheduler.ts";

const askTimeoutMs = 20_000;

/** Asks for this job to be run again, where its scheduler allows that. Answers the exit code to end with. */
export async function requeueJob(scheduler: Scheduler | undefined): Promise<number | undefined> {
  const way = scheduler?.requeue?.(process.env);
  if (way === undefined) return undefined;
  if ("exitCode" in way) return way.exitCode;
  // The scheduler may end this process before its program has answered.
  const answer = await callProgram(way.call, { timeoutMs: askTimeoutMs });
  if (answer.kind === "answer") return 0;
  process.stderr.write(`millrace: the job could not be queued again: ${answer.why}\n`);
  return undefined;
}
