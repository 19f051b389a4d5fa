import type { Anchor, Phase } from "./story.ts";

/** What is said of a step besides what it does: why it is done so, and where that is written. */
export interface Remark {
  readonly phase: Phase;
  readonly why: string;
  readonly code: Anchor;
  readonly config?: string;
  readonly isDetail?: boolean;
}

/** What there is to be said something about. */
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
  | "mended"
  | "left"
  | "failedRun"
  | "complete"
  | "withdrawn";

const at = (file: string, line: string): Anchor => ({ file, line });

/** The remarks, by the occasion. */
export const remarks: Readonly<Record<Occasion, Remark>> = {
  start: {
    phase: "start",
    why: "One script starts the run. Whether it works here or on a cluster stands in the config alone.",
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
    why: "Items are cut into shards once, when the run begins. Neither a resume nor another number of workers cuts them anew.",
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
    why: "Workers are pointed at the run folder. It is the queue: nobody hands out work, and no data flows through the driver.",
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
    why: "A job is a small driver of its node: it keeps workers at work and needs nobody, so the run goes on if the driver is gone.",
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
    why: "Each worker has a file of its own and writes it again twice a second. By its age others see whether it lives.",
    code: at("worker-report.ts", "export function firstReport("),
    isDetail: true,
  },
  building: {
    phase: "build env",
    why: "Heavy things (model, dataset) are made once per worker, not once per item.",
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
    code: at("claim-unit.ts", 'if ((yield* makeFolder(attempt)) === "exists")'),
  },
  lease: {
    phase: "claim",
    why: "The lease is a second name of the worker's own file: the heartbeat that renews one renews the other.",
    code: at("claim-unit.ts", "yield* link(paths.worker(lease.worker)"),
    isDetail: true,
  },
  withdrawn: {
    phase: "claim",
    why: "What it knew was old: since it looked, the shard was taken or committed. It withdraws before it has written anything.",
    code: at("claim-unit.ts", "if (overtaken) {"),
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
    code: at("run-items.ts", "result = await (timeoutMs === undefined"),
    isDetail: true,
  },
  failed: {
    phase: "forward",
    why: "A failing batch is halved until the bad item stands alone; on_error says what becomes of that one.",
    code: at("run-items.ts", "const middle = Math.ceil(indices.length / 2)"),
    config: "  on_error:",
  },
  failures: {
    phase: "write",
    why: "The item is written down with its error and the place its output would have, so that a retry can put it there.",
    code: at("fold-result.ts", "work.onFailure({ item: idx"),
    config: "  on_error:",
  },
  records: {
    phase: "write",
    why: "Results go to the attempt's own folder. Nobody sees them as part of the run until it is committed.",
    code: at("shard-work.ts", "const answer = writer.checkpoint()"),
  },
  checkpoint: {
    phase: "checkpoint",
    why: "A line with position, file lengths and a checksum: from here the next attempt goes on if this worker is killed.",
    code: at("shard-work.ts", "this.log.save("),
  },
  done: {
    phase: "commit",
    why: "done lists every file with its size and checksum. It is written first; only the move is missing then.",
    code: at("run-shard.ts", "writeDone(shardDir, done);"),
  },
  commit: {
    phase: "commit",
    why: "One rename publishes the shard. A worker that was taken over finds its folder gone, and commits nothing.",
    code: at("commit-attempt.ts", "let moved = yield* move(attempt, paths.shard(unit));"),
  },
  fence: {
    phase: "take over",
    why: "The folder is moved aside. Committing would be a move of that same folder, so the old holder can no longer do it.",
    code: at("claim-unit.ts", "const moved = yield* move(paths.attempt(unit, epoch), paths.fenced(unit, epoch));"),
  },
  release: {
    phase: "give back",
    why: "A worker that leaves or fails saves and gives its shard back: anyone may go on from its checkpoint at once.",
    code: at("release-attempt.ts", "yield* move(paths.attempt(claim.unit, claim.epoch)"),
  },
  note: {
    phase: "give back",
    why: "What an attempt leaves for the next one: how its worker ended, the item it was at, or that it was given back.",
    code: at("attempt-notes.ts", "export function readAttemptEnd("),
    isDetail: true,
  },
  exitNote: {
    phase: "take over",
    why: "How the worker ended stands in its attempt, for the next one to judge whether the item is to blame.",
    code: at("crash-history.ts", "export function judgeCrashes("),
    isDetail: true,
  },
  itemNote: {
    phase: "forward",
    why: "An earlier attempt died, so each item is noted before it runs: one that keeps ending its worker is found out.",
    code: at("item-guard.ts", "notes?.note(position, count, recentRss());"),
    isDetail: true,
  },
  tidy: {
    phase: "commit",
    why: "With the shard committed, older attempts at it are of no use any more.",
    code: at("commit-attempt.ts", "yield* remove(paths.fenced(unit, older));"),
    isDetail: true,
  },
  mergeClaim: {
    phase: "merge",
    why: "All shards are committed. The merge is claimed like a shard, so that only one driver does it at a time.",
    code: at("merge-once.ts", 'const claim = await protocol.claim("merge", seen);'),
  },
  merged: {
    phase: "merge",
    why: "The records are read in item order, whoever computed them and in whatever order.",
    code: at("merge-once.ts", "const result = await guardMerge("),
  },
  mergeEnd: {
    phase: "merge",
    why: "The claim on the merge is given up and what killed workers left behind is removed.",
    code: at("merge-once.ts", "cleanUp(paths, lease);"),
    isDetail: true,
  },
  stopOrder: {
    phase: "give back",
    why: "A file asks everyone at work, on any host, to save and leave.",
    code: at("stop-order.ts", "export function orderStop("),
  },
  firstLook: {
    phase: "plan",
    why: "The driver has looked into every shard; were each worker to do so, the file system would do nothing else.",
    code: at("first-look.ts", "export function writeFirstLook("),
    isDetail: true,
  },
  killed: {
    phase: "kill",
    why: "Nothing is tidied up at a kill: what is on the disk at this moment is all that is left, and it is enough.",
    code: at("checkpoint.ts", "export function openCheckpointLog("),
  },
  reaped: {
    phase: "take over",
    why: "Whoever started a worker sees it end and takes its lease back at once: nobody has to wait for it to run out.",
    code: at("reap-worker.ts", "takeStepsNow(fenceAttempt(unit, epoch, context), take);"),
  },
  paused: {
    phase: "pause",
    why: "Stopped by a signal, a debugger or a frozen node: it neither works nor says that it lives. Its lease grows old.",
    code: at("lease.ts", "if (ageMs > (lease?.ttlMs ?? ttlMs)) return false;"),
  },
  awake: {
    phase: "pause",
    why: "Nobody has taken its shard meanwhile. It goes on as if nothing had happened.",
    code: at("commit-attempt.ts", 'if (!(yield* ownsLease(claim, context))) return "lost";'),
  },
  awakeLate: {
    phase: "pause",
    why: "It believes that it holds the shard. Its next move finds no folder of that name, and nothing is published twice.",
    code: at("commit-attempt.ts", 'if (!(yield* ownsLease(claim, context))) return "lost";'),
  },
  mended: {
    phase: "start",
    why: "You correct what was wrong. The shard's checkpoint stands right before the item.",
    code: at("main.ts", "const embeddings = await runner.run("),
  },
  left: {
    phase: "end",
    why: "A worker leaves when no shard is left, when it is asked to, or when its item has failed.",
    code: at("run-worker.ts", "await job.teardown(env);"),
    isDetail: true,
  },
  failedRun: {
    phase: "end",
    why: "The run stops with an error that names the item. Everything committed is kept, and so is the checkpoint.",
    code: at("fold-result.ts", 'return new MillraceError("ITEM_FAILED"'),
    config: "  on_error:",
  },
  complete: {
    phase: "end",
    why: "run() returns the records. The folder of each shard stays; starting again would do nothing but read them.",
    code: at("main.ts", "console.log("),
  },
};
