import type { Anchor, Phase } from "./story.ts";

/** The comment on a step: why it is done this way, and the source line. */
export interface Remark {
  readonly phase: Phase;
  readonly why: string;
  readonly code: Anchor;
  readonly config?: string;
  readonly isDetail?: boolean;
}

/** The occasions for comments. */
export type Occasion =
  | "start"
  | "again"
  | "manifest"
  | "spec"
  | "worker"
  | "replacement"
  | "job"
  | "submission"
  | "report"
  | "building"
  | "built"
  | "claim"
  | "lease"
  | "copied"
  | "called"
  | "answered"
  | "failed"
  | "failures"
  | "records"
  | "checkpoint"
  | "done"
  | "commit"
  | "fence"
  | "release"
  | "note"
  | "exitNote"
  | "itemNote"
  | "tidy"
  | "mergeClaim"
  | "merged"
  | "mergeEnd"
  | "stopOrder"
  | "firstLook"
  | "killed"
  | "reaped"
  | "paused"
  | "awake"
  | "awakeLate"
  | "corrected"
  | "left"
  | "failedRun"
  | "complete"
  | "withdrawn";

const at = (file: string, line: string): Anchor => ({ file, line });

/** The remarks, by the occasion. */
export const remarks: Readonly<Record<Occasion, Remark>> = {
  start: {
    phase: "start",
    why: "One script starts the run. Only the config decides whether it runs here or on a cluster.",
    code: at("main.ts", "const embeddings = await runner.run("),
    config: "  env:",
  },
  again: {
    phase: "start",
    why: "Resuming is starting again: the same script, the same config. What is committed is not done again.",
    code: at("main.ts", "const embeddings = await runner.run("),
  },
  manifest: {
    phase: "plan",
    why: "Items are cut into shards once, when the run begins. Neither a resume nor another number of workers cuts them again.",
    code: at("make-plan.ts", "export function makePlan("),
    config: "  shards:",
  },
  spec: {
    phase: "plan",
    why: "A worker elsewhere needs no more than this: which module exports the two classes, and the config. Never code.",
    code: at("run-spec.ts", "export function writeSpec("),
    isDetail: true,
  },
  worker: {
    phase: "start",
    why: "Workers are pointed at the run folder. It is the queue: no process hands out work, and no data flows through the driver.",
    code: at("supervise.ts", "const worker = start("),
    config: "  n_workers:",
  },
  replacement: {
    phase: "start",
    why: "A worker that dies is replaced while there is work left. Its shard is free again.",
    code: at("supervise.ts", "const worker = start("),
    config: "  n_workers:",
  },
  job: {
    phase: "start",
    why: "A job is a small driver of its node: it starts and restarts workers by itself, so the run continues without the driver.",
    code: at("run-job.ts", "await supervise("),
    config: "  env:",
  },
  submission: {
    phase: "start",
    why: "A submission is written down before the scheduler is called: one whose answer is lost is found again by its name.",
    code: at("job-records.ts", "export function writeSubmission("),
    config: "  env:",
    isDetail: true,
  },
  report: {
    phase: "start",
    why: "Each worker writes its own file twice a second. Others see by its age whether the worker is alive.",
    code: at("worker-report.ts", "export function firstReport("),
    isDetail: true,
  },
  building: {
    phase: "build env",
    why: "Heavy objects (model, dataset) are created once per worker, not once per item.",
    code: at("embed.ts", "return { dataset, model: await loadModel"),
  },
  built: {
    phase: "build env",
    why: "The keys of what it returned are what forward gets as its second argument.",
    code: at("embed.ts", "static async forward("),
  },
  claim: {
    phase: "claim",
    why: "Making the folder is the claim. It fails if the folder is there, so of two workers only one can succeed.",
    code: at("claim.ts", 'if ((yield* makeFolder(folder)) === "exists")'),
  },
  lease: {
    phase: "claim",
    why: "The lease is a second name of the worker's own file: the heartbeat that renews one renews the other.",
    code: at("claim.ts", "yield* link(paths.worker(lease.worker)"),
    isDetail: true,
  },
  withdrawn: {
    phase: "claim",
    why: "Its information was old: the shard was claimed or committed since. It withdraws before it has written anything.",
    code: at("claim.ts", "if (overtaken) {"),
  },
  copied: {
    phase: "resume",
    why: "The bytes that counted are copied, never taken: a paused process may still hold the old file open and write to it.",
    code: at("checkpoint.ts", "if (copyFiles(fenced, attemptDir, checkpoint.files))"),
  },
  called: {
    phase: "forward",
    why: "Your function, one call. It knows nothing of shards, workers or retries.",
    code: at("embed.ts", "const vectors = await model.embed("),
    config: "  batch_size:",
  },
  answered: {
    phase: "forward",
    why: "The result is in the worker's memory. It reaches the disk with the next checkpoint, some milliseconds later.",
    code: at("run-items.ts", "result = await awaitAnswer(work, promise, [idx])"),
    isDetail: true,
  },
  failed: {
    phase: "forward",
    why: "A failing batch is halved until the bad item is alone; on_error decides what happens to that item.",
    code: at("run-items.ts", "const middle = Math.ceil(indices.length / 2)"),
    config: "  on_error:",
  },
  failures: {
    phase: "write",
    why: "The item is recorded with its error and the position of its output, so that a retry can insert it there.",
    code: at("fold-result.ts", "work.onFailure({ ...named"),
    config: "  on_error:",
  },
  records: {
    phase: "write",
    why: "Results go to the attempt's own folder. They are not part of the run until the attempt is committed.",
    code: at("shard-attempt.ts", "const answer = writer.checkpoint()"),
  },
  checkpoint: {
    phase: "checkpoint",
    why: "A line with position, file lengths and a checksum: the next attempt continues here if this worker is killed.",
    code: at("shard-attempt.ts", "this.log.save("),
  },
  done: {
    phase: "commit",
    why: "done lists every file with its size and checksum. It is written first; only the move is missing then.",
    code: at("run-shard.ts", "writeDone(shardDir, done);"),
  },
  commit: {
    phase: "commit",
    why: "One rename publishes the shard. A worker that was taken over finds its folder gone, and commits nothing.",
    code: at("commit-attempt.ts", "let moved = yield* move(folder, paths.shard(target));"),
  },
  fence: {
    phase: "take over",
    why: "The folder is moved aside. Committing would be a move of that same folder, so the old holder can no longer do it.",
    code: at("claim.ts", "const moved = yield* move(paths.attempt(target, attempt), paths.fenced(target, attempt));"),
  },
  release: {
    phase: "give back",
    why: "A worker that leaves or fails saves and releases its shard: another can continue from its checkpoint at once.",
    code: at("release-attempt.ts", "yield* move(paths.attempt(claim.target, claim.attempt)"),
  },
  note: {
    phase: "give back",
    why: "What an attempt leaves for the next one: how its worker ended, the item it was at, or that it was released.",
    code: at("attempt-notes.ts", "export function readAttemptEnd("),
    isDetail: true,
  },
  exitNote: {
    phase: "take over",
    why: "How the worker ended is recorded in its attempt, so that the next one can decide whether the item is to blame.",
    code: at("crash-history.ts", "export function judgeCrashes("),
    isDetail: true,
  },
  itemNote: {
    phase: "forward",
    why: "An earlier attempt died, so each item is recorded before it runs: an item that repeatedly kills its worker is identified.",
    code: at("item-guard.ts", "notes?.note(position, count, recentRss());"),
    isDetail: true,
  },
  tidy: {
    phase: "commit",
    why: "With the shard committed, older attempts at it are of no use any more.",
    code: at("commit-attempt.ts", "yield* remove(paths.fenced(target, older));"),
    isDetail: true,
  },
  mergeClaim: {
    phase: "merge",
    why: "All shards are committed. The merge is claimed like a shard, so that only one driver does it at a time.",
    code: at("merge-once.ts", 'const claim = await protocol.claim("merge", seen);'),
  },
  merged: {
    phase: "merge",
    why: "The records are read in item order, regardless of which worker computed them and when.",
    code: at("merge-once.ts", "const result = await guardMerge("),
  },
  mergeEnd: {
    phase: "merge",
    why: "The claim on the merge is released, and what killed workers left behind is removed.",
    code: at("merge-once.ts", "cleanUp(paths, lease);"),
    isDetail: true,
  },
  stopOrder: {
    phase: "give back",
    why: "A file asks all workers, on any host, to save and exit.",
    code: at("stop-order.ts", "export function orderStop("),
  },
  firstLook: {
    phase: "plan",
    why: "The driver has read every shard once, so that not every worker has to do it.",
    code: at("first-scan.ts", "export function writeFirstScan("),
    isDetail: true,
  },
  killed: {
    phase: "kill",
    why: "Nothing is cleaned up at a kill: what is on disk at this moment is all that remains, and it is enough.",
    code: at("checkpoint.ts", "export function openCheckpointLog("),
  },
  reaped: {
    phase: "take over",
    why: "The process that started a worker sees it end and revokes its lease at once: no one has to wait until it expires.",
    code: at("reap-worker.ts", "takeStepsNow(fenceAttempt(target, attempt, context), take);"),
  },
  paused: {
    phase: "pause",
    why: "Stopped by a signal, a debugger or a frozen node: it neither works nor renews its lease, which gets old.",
    code: at("lease.ts", "if (ageMs > (lease?.ttlMs ?? ttlMs)) return false;"),
  },
  awake: {
    phase: "pause",
    why: "Its shard was not taken over meanwhile. It continues as if nothing had happened.",
    code: at("commit-attempt.ts", 'if (!(yield* ownsLease(claim, context))) return "lost";'),
  },
  awakeLate: {
    phase: "pause",
    why: "It believes that it holds the shard. Its next move finds no folder of that name, and nothing is published twice.",
    code: at("commit-attempt.ts", 'if (!(yield* ownsLease(claim, context))) return "lost";'),
  },
  corrected: {
    phase: "start",
    why: "You correct what was wrong. The shard's checkpoint is right before the item.",
    code: at("main.ts", "const embeddings = await runner.run("),
  },
  left: {
    phase: "end",
    why: "A worker leaves when no shard is left, when it is asked to, or when its item has failed.",
    code: at("run-worker.ts", "await task.teardown(env);"),
    isDetail: true,
  },
  failedRun: {
    phase: "end",
    why: "The run stops with an error that names the item. Everything committed is kept, and so is the checkpoint.",
    code: at("fold-result.ts", '"ITEM_FAILED",'),
    config: "  on_error:",
  },
  complete: {
    phase: "end",
    why: "run() returns the records. The folder of each shard stays; starting again would do nothing but read them.",
    code: at("main.ts", "console.log("),
  },
};
