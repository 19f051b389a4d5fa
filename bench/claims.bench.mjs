// The claim protocol with very many workers: the real code on a simulated disk with a simulated clock. Counts
// operations on the shared file system.
import { tsImport } from "tsx/esm/api";
import { row } from "./measure.mjs";

const { claimLoop } = await tsImport("../src/worker/claim-loop.ts", import.meta.url);
const { claimUnit } = await tsImport("../src/run-folder/lease/claim.ts", import.meta.url);
const { commitAttempt } = await tsImport("../src/run-folder/lease/commit-attempt.ts", import.meta.url);
const { takeStepsNow } = await tsImport("../src/run-folder/lease/file-step.ts", import.meta.url);
const { runPaths, parseAttemptName, shardIdOf } = await tsImport(
  "../src/run-folder/files/run-paths.ts",
  import.meta.url,
);

const shardsPerWorker = 10;
const shardSeconds = 60;
// A folder is listed in pieces of a thousand names, each of which is one operation.
const namesPerOperation = 1000;

/** The limits are those of the smallest case: anything that grows with the number of workers would show. */
export async function bench() {
  const sizes = (process.env.MILLRACE_CLAIM_WORKERS ?? "10,100,1000,10000").split(",").map(Number);
  const results = [];
  for (const workers of sizes) results.push({ workers, ...(await simulate(workers, workers * shardsPerWorker)) });
  const least = results[0].perShard;
  return results.flatMap(({ workers, shards, perShard, listings, idle }) => [
    row(`${workers} workers, ${shards} shards: operations a shard`, perShard, "", Math.max(40, least * 1.5)),
    row(`  of them to list folders (${namesPerOperation} names each)`, listings, "", 40),
    row("  time that workers waited at the end", idle * 100, "%", 25),
  ]);
}

async function simulate(workers, shards) {
  const clock = new Clock();
  const disk = new Disk(shards);
  const random = generator(workers);
  let idleMs = 0;
  let busyMs = 0;
  const names = Array.from({ length: workers }, (_, i) => `worker-${i}`);
  await clock.run(
    names.map(async (worker) => {
      // A scheduler starts them over some time.
      await clock.sleep(random() * 30_000);
      const lease = { worker, host: "simulated", pid: 1, began: "", ttlMs: 15_000 };
      const context = { paths: disk.paths, lease, isDead: () => false };
      const take = (step) => disk.take(step);
      await claimLoop(disk.list(), {
        random,
        isSpread: workers > 16,
        look: async () => disk.list(),
        attempts: () => disk.attempts(),
        isCommitted: (id) => disk.isCommitted(id),
        claim: async (id, seen) => takeStepsNow(claimUnit(id, seen, context), take),
        async run(claim) {
          const ms = shardSeconds * 1000 * (0.5 + random());
          busyMs += ms;
          await clock.sleep(ms);
          takeStepsNow(commitAttempt(claim, context), take);
        },
        isOver: () => false,
        async wait(ms) {
          idleMs += ms;
          await clock.sleep(ms);
        },
      });
    }),
  );
  if (disk.committedCount !== shards) throw new Error("not every shard was committed exactly once");
  return {
    shards,
    perShard: disk.operations / shards,
    listings: disk.listings / shards,
    idle: idleMs / (idleMs + busyMs),
  };
}

/** A clock that jumps to the next event. */
class Clock {
  now = 0;
  #heap = [];

  sleep(ms) {
    return new Promise((resolve) => push(this.#heap, { at: this.now + ms, resolve }));
  }

  async run(tasks) {
    let isOver = false;
    const all = Promise.all(tasks).then(() => {
      isOver = true;
    });
    while (!isOver) {
      const next = pop(this.#heap);
      if (next !== undefined) {
        this.now = next.at;
        next.resolve();
      }
      await new Promise(setImmediate);
    }
    return all;
  }
}

/** A run folder in memory that counts operations and knows its state at earlier moments. */
class Disk {
  paths = runPaths("/run");
  operations = 0;
  listings = 0;
  committedCount = 0;
  #now = 0;
  #claimedAt;
  #committedAt;
  #active = 0;
  #listed = { at: -1, open: [] };

  constructor(shards) {
    this.#claimedAt = new Float64Array(shards).fill(Number.POSITIVE_INFINITY);
    this.#committedAt = new Float64Array(shards).fill(Number.POSITIVE_INFINITY);
  }

  list() {
    this.#count(Math.ceil((this.committedCount + 1) / namesPerOperation), true);
    // Workers that list at the same time share the result: ten thousand lists of a hundred thousand names are too many.
    if (this.#listed.at === this.committedCount) return this.#listed.open;
    const open = [];
    for (let id = 0; id < this.#committedAt.length; id++)
      if (this.#committedAt[id] === Number.POSITIVE_INFINITY) open.push(id);
    this.#listed = { at: this.committedCount, open };
    return open;
  }

  attempts() {
    this.#count(Math.ceil((this.#active + 1) / namesPerOperation), true);
    const at = this.#now;
    return {
      get: (id) =>
        this.#claimedAt[id] <= at && this.#committedAt[id] > at ? { active: 1, fenced: [], highest: 1 } : undefined,
    };
  }

  isCommitted(id) {
    this.#count(1);
    return this.#committedAt[id] < Number.POSITIVE_INFINITY;
  }

  take(step) {
    this.#count(1);
    this.#now++;
    if (step.do === "mkdir") {
      const { unit } = attemptOf(step.path);
      const isThere =
        this.#claimedAt[unit] < Number.POSITIVE_INFINITY && this.#committedAt[unit] === Number.POSITIVE_INFINITY;
      if (isThere) return "exists";
      // Created for a moment although the shard is committed: the protocol checks that afterwards and removes it.
      if (this.#committedAt[unit] === Number.POSITIVE_INFINITY) {
        this.#claimedAt[unit] = this.#now;
        this.#active++;
      }
      return "made";
    }
    if (step.do === "committed") return this.#committedAt[step.shard] < Number.POSITIVE_INFINITY;
    if (step.do === "exists") return false;
    if (step.do === "same") return true;
    // The holder is alive and renews its lease.
    if (step.do === "look") return { text: "", ageMs: 0 };
    if (step.do === "rename") {
      const shard = shardIdOf(step.to.split("/").at(-1));
      if (shard === undefined) return "moved";
      this.#committedAt[shard] = this.#now;
      this.#active--;
      this.committedCount++;
      return "moved";
    }
    return undefined;
  }

  #count(operations, isListing = false) {
    this.operations += operations;
    if (isListing) this.listings += operations;
  }
}

function attemptOf(path) {
  return parseAttemptName(path.split("/").at(-1));
}

/** Numbers that are the same in every run. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function push(heap, entry) {
  heap.push(entry);
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].at <= heap[at].at) break;
    [heap[parent], heap[at]] = [heap[at], heap[parent]];
    at = parent;
  }
}

function pop(heap) {
  if (heap.length === 0) return undefined;
  const [first] = heap;
  const last = heap.pop();
  if (heap.length > 0) {
    heap[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < heap.length && heap[left].at < heap[least].at) least = left;
      if (right < heap.length && heap[right].at < heap[least].at) least = right;
      if (least === at) break;
      [heap[least], heap[at]] = [heap[at], heap[least]];
      at = least;
    }
  }
  return first;
}
