import { callProgram } from "../launchers/jobs/call-program.ts";
import type { Scheduler } from "../launchers/jobs/scheduler.ts";
import type { Submission } from "../run-folder/jobs/job-records.ts";

const askTimeoutMs = 20_000;

/**
 * The time by which the workers of this job must have left, in milliseconds of this host's clock: the end of the job,
 * as the scheduler reports it, minus the grace period. Undefined if the job has no time limit.
 */
export async function findDeadline(
  scheduler: Scheduler | undefined,
  { walltimeSeconds, graceSeconds }: Submission,
): Promise<number | undefined> {
  const startedMs = Date.now() - process.uptime() * 1000;
  const asked = (await askTimeLeft(scheduler)) ?? undefined;
  const endMs =
    asked !== undefined
      ? Date.now() + asked * 1000
      : walltimeSeconds === undefined
        ? undefined
        : startedMs + walltimeSeconds * 1000;
  return endMs === undefined ? undefined : endMs - graceSeconds * 1000;
}

async function askTimeLeft(scheduler: Scheduler | undefined): Promise<number | undefined> {
  const call = scheduler?.timeLeft?.ask(process.env);
  if (call === undefined) return undefined;
  const answer = await callProgram(call, { timeoutMs: askTimeoutMs });
  if (answer.kind !== "answer") return undefined;
  return scheduler!.timeLeft!.parse(answer.text, { environment: process.env, nowMs: Date.now() });
}
