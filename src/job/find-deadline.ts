import { callProgram } from "../launchers/batch/call-program.ts";
import type { Scheduler } from "../launchers/batch/scheduler.ts";
import type { Submission } from "../store/job-records.ts";

const askTimeoutMs = 20_000;

/**
 * When the workers of this job are to have left, in milliseconds of this host's clock: its real end, as the scheduler
 * tells, less the grace. Undefined where it has no end.
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
