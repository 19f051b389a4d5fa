import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runPaths } from "../../../src/run-folder/files/run-paths.ts";
import { groupAttempts, noAttempts } from "../../../src/run-folder/lease/attempts.ts";
import { type ClaimContext, claimTarget } from "../../../src/run-folder/lease/claim.ts";
import { commitAttempt } from "../../../src/run-folder/lease/commit-attempt.ts";
import type { FileStep, Steps } from "../../../src/run-folder/lease/file-step.ts";
import { releaseAttempt } from "../../../src/run-folder/lease/release-attempt.ts";
import { ModelFiles, type Node } from "./protocol-model.ts";

// The generators that run on a disk are run here on a model of one, step by step, in every order fast-check thinks of.

const runs = Number(process.env["MILLRACE_FUZZ_RUNS"] ?? 1500);
const ttlMs = 10;
const shardCount = 3;
const itemsPerShard = 3;
const paths = runPaths("/run");

class Model {
  readonly files = new ModelFiles(paths);
  readonly workers: ModelWorker[] = [];

  spawn(): ModelWorker {
    const worker = new ModelWorker(this, `w${this.workers.length}`);
    this.workers.push(worker);
    return worker;
  }

  isComplete(): boolean {
    return [...Array(shardCount).keys()].every((shard) => this.files.take({ do: "committed", shard }));
  }
}

/** A worker whose every step on the file system is one call of `step`; it can stop between any two of them. */
class ModelWorker {
  isAlive = true;
  private readonly model: Model;
  private readonly context: ClaimContext;
  private readonly life: Generator<FileStep | "pause", void, unknown>;
  private answer: unknown;

  constructor(model: Model, name: string) {
    this.model = model;
    const lease = { worker: name, host: "h", pid: 1, began: "", ttlMs };
    // A process of another host: only missing heartbeats show that it is gone.
    this.context = { paths, lease, isDead: () => false };
    model.files.write(paths.worker(name), JSON.stringify(lease));
    this.life = this.live();
  }

  step(): void {
    if (!this.isAlive) return;
    const next = this.life.next(this.answer);
    if (next.done) this.isAlive = false;
    else if (next.value !== "pause") this.answer = this.model.files.take(next.value);
  }

  renew(): void {
    if (this.isAlive)
      this.model.files.write(paths.worker(this.context.lease.worker), JSON.stringify(this.context.lease));
  }

  private *live(): Generator<FileStep | "pause", void, unknown> {
    const { files } = this.model;
    while (!this.model.isComplete()) {
      const attempts = groupAttempts(files.names(paths.attempts));
      yield "pause";
      for (let shard = 0; shard < shardCount; shard++) {
        const claim = yield* claimTarget(shard, attempts.get(shard) ?? noAttempts, this.context);
        if (claim === undefined) continue;
        const place = { target: shard, attempt: claim.attempt };
        const folder = files.node(paths.attempt(shard, claim.attempt));
        if (folder === undefined) continue;
        yield* this.work(shard, claim.attempt, folder);
        // Now and then a worker leaves in between: it gives its shard back and continues with another.
        if (claim.attempt % 3 === 2 && folder.entries!.size < itemsPerShard) yield* releaseAttempt(place, this.context);
        else yield* commitAttempt(place, this.context);
      }
      yield "pause";
    }
  }

  /** Continues from the best fenced attempt, writes item after item, and ends with `done`. */
  private *work(shard: number, attempt: number, folder: Node): Generator<"pause", void, unknown> {
    for (let older = attempt - 1; older > 0 && folder.entries!.size === 0; older--) {
      const fenced = this.model.files.node(paths.fenced(shard, older));
      yield "pause";
      for (const [name, node] of fenced?.entries ?? []) if (name !== "done") folder.entries!.set(name, node);
    }
    for (let item = folder.entries!.size; item < itemsPerShard; item++) {
      // Writes go to the folder that was claimed, wherever it was moved since: as with a file that is open.
      folder.entries!.set(`item ${item}`, { entries: undefined, text: `${shard}.${item}`, changedMs: 0 });
      yield "pause";
    }
    folder.entries!.set("done", { entries: undefined, text: "", changedMs: 0 });
    yield "pause";
  }
}

type Event =
  | { readonly kind: "step"; readonly worker: number; readonly times: number }
  | { readonly kind: "kill"; readonly worker: number }
  | { readonly kind: "renew"; readonly worker: number }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "spawn" };

const worker = fc.nat({ max: 5 });
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant("step" as const), worker, times: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const), worker }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("renew" as const), worker }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("time" as const), ms: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("spawn" as const) }) },
);

function runEvents(events: readonly Event[]): Model {
  const model = new Model();
  model.spawn();
  model.spawn();
  for (const happening of events) {
    const target = "worker" in happening ? model.workers[happening.worker % model.workers.length]! : undefined;
    if (happening.kind === "time") model.files.nowMs += happening.ms;
    else if (happening.kind === "spawn") model.spawn();
    else if (happening.kind === "kill") target!.isAlive = false;
    else if (happening.kind === "renew") target!.renew();
    else for (let i = 0; i < happening.times; i++) target!.step();
  }
  return model;
}

/** Everyone who is left works on, slowly enough for leases to run out; a late comer is there in any case. */
function finish(model: Model): void {
  model.spawn();
  for (let round = 0; round < 3000 && !model.isComplete(); round++) {
    if (round % 100 === 0) model.files.nowMs += ttlMs + 1;
    for (const each of model.workers) each.step();
    model.workers.at(-1)!.renew();
  }
}

function checkInvariants(model: Model): void {
  const { published } = model.files;
  expect(new Set(published.map(({ shard }) => shard)).size, "no shard is published twice").toBe(published.length);
  for (const { attempt, wasFenced } of published) expect(wasFenced, `${attempt} had lost its lease`).toBe(false);
  for (let shard = 0; shard < shardCount; shard++) {
    const folder = model.files.node(paths.shard(shard));
    const items = [...(folder?.entries ?? [])].filter(([name]) => name !== "done").map(([, node]) => node.text);
    // Without its `done` a folder is no shard: an empty one can stand there for a moment, and the next commit replaces it.
    const isCommitted = folder?.entries?.has("done") === true;
    const all = [...Array(itemsPerShard).keys()].map((item) => `${shard}.${item}`);
    expect(items, `shard ${shard}`).toEqual(isCommitted ? all : []);
  }
}

describe("the lease protocol", () => {
  it("commits every shard once, whole, and by its rightful attempt, in any interleaving", {
    timeout: 100 * runs,
  }, () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 20, maxLength: 300 }), (events) => {
        const model = runEvents(events);
        checkInvariants(model);
        finish(model);
        expect(model.isComplete()).toBe(true);
        checkInvariants(model);
      }),
      { numRuns: runs },
    );
  });

  it("refuses the commit of an attempt that was taken over", () => {
    const files = new ModelFiles(paths);
    const [first, second] = ["a", "b"].map((name) => newContext(files, name));
    const claim = run(files, claimTarget(0, noAttempts, first!))!;
    files.node(paths.attempt(0, 1))!.entries!.set("done", emptyFile());
    expect(run(files, claimTarget(0, groupAttempts(files.names(paths.attempts)).get(0)!, second!))).toBeUndefined();
    files.nowMs += ttlMs + 1;
    const taken = run(files, claimTarget(0, groupAttempts(files.names(paths.attempts)).get(0)!, second!));
    expect(taken).toEqual({ target: 0, attempt: 2 });
    files.node(paths.attempt(0, 2))!.entries!.set("done", emptyFile());
    expect(run(files, commitAttempt({ target: 0, attempt: claim.attempt }, first!))).toBe("lost");
    expect(run(files, commitAttempt({ target: 0, attempt: 2 }, second!))).toBe("committed");
  });

  it("is not held up by a folder that a worker with an old view made and died over", () => {
    const files = new ModelFiles(paths);
    const [first, second, third] = ["a", "b", "c"].map((name) => newContext(files, name));
    const claim = run(files, claimTarget(0, noAttempts, first!))!;
    files.node(paths.attempt(0, 1))!.entries!.set("item 0", emptyFile());
    run(files, releaseAttempt(claim, first!));
    const late = claimTarget(0, noAttempts, second!);
    files.take(late.next().value as FileStep);
    files.nowMs += ttlMs + 1;
    const seen = groupAttempts(files.names(paths.attempts)).get(0)!;
    expect(seen).toMatchObject({ active: 1, fenced: [1] });
    expect(run(files, claimTarget(0, seen, third!))).toEqual({ target: 0, attempt: 2 });
  });

  it("lets a released shard be claimed at once", () => {
    const files = new ModelFiles(paths);
    const [first, second] = ["a", "b"].map((name) => newContext(files, name));
    run(files, releaseAttempt(run(files, claimTarget(0, noAttempts, first!))!, first!));
    expect(run(files, claimTarget(0, groupAttempts(files.names(paths.attempts)).get(0)!, second!))).toEqual({
      target: 0,
      attempt: 2,
    });
  });
});

function emptyFile(): Node {
  return { entries: undefined, text: "", changedMs: 0 };
}

function newContext(files: ModelFiles, name: string): ClaimContext {
  const lease = { worker: name, host: "h", pid: 1, began: "", ttlMs };
  files.write(paths.worker(name), JSON.stringify(lease));
  return { paths, lease, isDead: () => false };
}

function run<T>(files: ModelFiles, steps: Steps<T>): T {
  let next = steps.next();
  while (!next.done) next = steps.next(files.take(next.value));
  return next.value;
}
