import type {
  AttemptView,
  FailureView,
  Overview,
  PlanView,
  RatePoint,
  ReportData,
  Snapshot,
  WorkerView,
} from "../../../src/dashboard/run-view.ts";

/** When everything that is made up happened. */
export const began: number = Date.UTC(2026, 10, 16, 9, 0, 0);

/** What a name from data may hold at worst. */
export const attack = `<img src=x onerror="document.title='taken'">`;

const letterAt = (shard: number, committed: number): string => {
  if (shard >= committed + 6) return ".";
  if (shard >= committed + 4) return "w";
  if (shard >= committed) return "r";
  return shard % 97 === 13 ? "f" : shard === 40 ? "d" : "c";
};

const workers = (count: number, shard: number): WorkerView[] =>
  Array.from({ length: count }, (_, i) => ({
    worker: `node${i + 1}-${4000 + i}-a`,
    host: `node${i + 1}`,
    pid: 4000 + i,
    shard: shard + i,
    position: 20 * i + 7,
    shardItems: 100,
    itemsPerSecond: 31.5 + i,
    rss: (200 + 31 * i) * 1024 * 1024,
    heartbeatAgeMs: 120 + 300 * i,
  }));

const attempts = (count: number): AttemptView[] =>
  Array.from({ length: count }, (_, i): AttemptView => {
    const at = began + Math.floor(i / 4) * 3000 + (i % 4) * 200;
    const outcome = i === 17 ? "lost" : i === 30 ? "released" : i === 45 ? "failed" : "committed";
    return {
      unit: i,
      attempt: i === 18 ? 1 : 0,
      worker: `node${(i % 4) + 1}-${4000 + (i % 4)}-a`,
      host: `node${(i % 4) + 1}`,
      began: at,
      ended: at + 2800,
      outcome,
      items: 100,
      failed: i === 13 ? 1 : 0,
      ...(outcome === "lost" ? { reason: "killed by SIGKILL" } : {}),
    };
  });

const rates: RatePoint[] = Array.from({ length: 120 }, (_, i) => ({
  at: began + i * 1000,
  itemsPerSecond: 130 + 30 * Math.sin(i / 9) - (i > 50 && i < 60 ? 70 : 0),
}));

/** The error that ended a made-up run. */
export const madeUpFailure: NonNullable<Overview["failure"]> = {
  code: "ITEM_FAILED",
  message: `PrepRunner.forward failed at item 1310: utterance ${attack} cannot be read`,
  hint: 'Correct the cause and run again, or pass onError: "skip".',
  item: 1310,
  worker: "node1-4000-a",
  place: "/data/prep.js:12:5",
  at: began + 118_000,
};

/** The state of a made-up run; always the same. */
export function madeUpSnapshot({
  shards = 200,
  isOver = false,
  isReleased = false,
  failure = null as Overview["failure"],
} = {}): Snapshot {
  const committed = isOver ? shards : Math.floor(shards * 0.6);
  const overview: Overview = {
    runDir: "/data/exp/prep",
    state: isOver ? "complete with failures" : failure !== null ? "failed" : isReleased ? "stopped" : "running",
    failure,
    stopping: null,
    items: {
      total: 100 * shards,
      done: 100 * committed + (isOver ? 0 : 148),
      written: 100 * committed - 30,
      dropped: 28,
      failed: 2,
    },
    shards: { total: shards, committed, damaged: 1 },
    itemsPerSecond: isOver ? 0 : 132,
    etaSeconds: isOver ? null : 61,
    jobs: isOver ? null : { env: "slurm", pending: 2, running: 4, lost: 0 },
    workers: isOver || isReleased || failure !== null ? [] : workers(4, committed),
    began,
    ended: began + 120_000,
  };
  return {
    overview,
    shards: Array.from({ length: shards }, (_, i) => letterAt(i, committed)).join(""),
    attempts: attempts(Math.min(160, committed)),
    attemptsLeftOut: 0,
    rates,
  };
}

export const madeUpFailures: readonly FailureView[] = Array.from({ length: 30 }, (_, i) => ({
  item: 1310 + i,
  shard: 13,
  attempt: 0,
  tries: 3,
  error: {
    name: i === 0 ? attack : "TypeError",
    ...(i === 1 ? { code: "BAD_AUDIO" } : {}),
    message: i === 0 ? `utterance ${attack} cannot be read` : `utterance ${1310 + i} cannot be read`,
    stack: `TypeError: cannot read\n    at forward (prep.js:12:5)\n    ${i === 0 ? attack : "at run"}`,
  },
}));

export const madeUpPlan: PlanView = {
  items: 20_000,
  shards: 200,
  smallestShard: 100,
  largestShard: 100,
  runner: "./prep.js#PrepRunner",
  provider: "./prep.js#PrepProvider",
  cwd: "/data",
  config: `corpus: librispeech\nname: ${JSON.stringify(attack)}\n`,
  params: "{}",
  options: "shards: 200\non_error: skip\n",
  parallel: "env: slurm\nn_workers: 4\n",
};

export const madeUpLog = `${Array.from({ length: 200 }, (_, i) => `at item ${i}`).join("\n")}\n${attack}\n`;

export const retryCommand = "millrace retry '/data/exp/prep'";

/** All of it, as a report holds it. */
export function madeUpReport(): ReportData {
  const snapshot = madeUpSnapshot({ isOver: true });
  return {
    card: { id: "prep", folder: ".", state: "complete with failures", items: snapshot.overview.items },
    madeAt: began + 3_600_000,
    version: "1.2.3",
    snapshot,
    failures: { total: madeUpFailures.length, offset: 0, failures: madeUpFailures, retryCommand },
    plan: madeUpPlan,
    logs: [{ name: `driver-${attack}`, text: madeUpLog, bytes: Buffer.byteLength(madeUpLog) }],
  };
}
