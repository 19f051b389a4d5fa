import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import { MillraceError } from "../shared/errors.ts";
import type { Done } from "../store/done.ts";
import { storeError } from "../store/durable-files.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { findCommitted } from "../worker/find-committed.ts";
import { mergeOnce } from "./merge-once.ts";
import { openRun } from "./open-run.ts";
import type { RunRequest } from "./run-request.ts";
import { openSession, type Session } from "./session.ts";
import { showProgress } from "./show-progress.ts";

/** The whole of a run: plan, launch, watch, merge. What is done already is not done again. */
export async function driveRun<Merged>(request: RunRequest<Merged>): Promise<Merged> {
  const launcher = chooseLauncher(request.parallel);
  const paths = runPaths(request.runDir);
  try {
    const plan = openRun(paths, await collectItems(request.items), request);
    return await inSession(openSession(paths, plan, request), request, async (session) => {
      const { runDir, parallel } = request;
      const committed = await launcher.launch({ runDir, parallel, inlineJob: session.job });
      return finishRun(session, request, committed);
    });
  } catch (error) {
    throw storeError(error);
  }
}

/** Does something as a member of the run, and leaves no heartbeat behind. */
export async function inSession<Merged>(
  session: Session,
  { runDir, progress, runner }: RunRequest<Merged>,
  act: (session: Session) => Promise<Merged>,
): Promise<Merged> {
  const display = progress ? showProgress(runDir, runner.name) : undefined;
  try {
    return await act(session);
  } finally {
    await display?.stop();
    await session.heartbeat.stop();
  }
}

/** Merges what the workers have committed, if that is all of it. */
export async function finishRun<Merged>(
  session: Session,
  { merge }: RunRequest<Merged>,
  known: ReadonlyMap<number, Done> = new Map(),
): Promise<Merged> {
  const { committed, open } = await findCommitted(session.job, known);
  if (open.length > 0) throw stopped(session.protocol.paths, open.length);
  return mergeOnce(session, committed, merge);
}

function stopped(paths: RunPaths, open: number): MillraceError {
  return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped with ${open} shards to do.`, {
    hint: "Run again: it goes on from where it was.",
  });
}
