import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runPaths } from "../../../src/run-folder/files/run-paths.ts";
import { groupAttempts, noAttempts } from "../../../src/run-folder/lease/attempts.ts";
import { type Claim, type ClaimContext, claimTarget } from "../../../src/run-folder/lease/claim.ts";
import { commitAttempt } from "../../../src/run-folder/lease/commit-attempt.ts";
import type { FileStep, Steps } from "../../../src/run-folder/lease/file-step.ts";
import { releaseAttempt } from "../../../src/run-folder/lease/release-attempt.ts";
import { ModelClient, ModelFiles, type Node } from "./protocol-model.ts";

// The generators that run on a disk are run here on a model of one, step by step, in every order fast-check thinks of.

const runs = Number(process.env["MILLRACE_FUZZ_RUNS"] ?? 1500);
const ttlMs = 10;
const shardCount = 3;
const itemsPerShard = 3;
const paths = runPaths("/run");

class Model {
  readonly files = new ModelFiles(paths);
  readonly workers: ModelWorker[] = [];
  readonly wrong: string[] = [];
  /** The hosts see each other's changes late, and may get the answer to a repeated call. */
  readonly isShared: boolean;

  constructor(isShared = false) {
    this.isShared = isShared;
  }

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
  readonly client: ModelClient;
  private readonly model: Model;
  private readonly context: ClaimContext;
  private beats = 0;
  private readonly life: Generator<FileStep | "pause", void, unknown>;
  private answer: unknown;

  constructor(model: Model, name: string) {
    this.model = model;
    this.client = new ModelClient(model.files);
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
    else if (next.value !== "pause")
      this.answer = (this.model.isShared ? this.client : this.model.files).take(next.value);
  }

  renew(): void {
    const { lease } = this.context;
    if (this.isAlive)
      this.model.files.write(paths.worker(lease.worker), JSON.stringify({ ...lease, beat: this.beats++ }));
  }

  private *live(): Generator<FileStep | "pause", void, unknown> {
    const { files } = this.model;
    while (!this.model.isComplete()) {
      const attempts = groupAttempts((this.model.isShared ? this.client : files).names(paths.attempts));
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
        else this.check(folder, yield* commitAttempt(place, this.context));
      }
      yield "pause";
    }
  }

  /** A worker must know whether the shard is its own: it counts the items, and says what it has done. */
  private check(folder: Node, outcome: "committed" | "lost"): void {
    const isPublished = this.model.files.published.some((one) => one.folder === folder);
    if (isPublished !== (outcome === "committed"))
      this.model.wrong.push(`it is ${isPublished ? "" : "not "}published, its worker says ${outcome}`);
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
    folder.entries!.set("done", {
      entries: undefined,
      text: JSON.stringify({ attempt, worker: this.context.lease.worker }),
      changedMs: 0,
    });
    yield "pause";
  }
}

type Event =
  | { readonly kind: "step"; readonly worker: number; readonly times: number }
  | { readonly kind: "kill"; readonly worker: number }
  | { readonly kind: "renew"; readonly worker: number }
  | { readonly kind: "time"; readonly ms: number }
  | { readonly kind: "spawn" }
  | SharedEvent;

/** What network file systems do. */
interface SharedEvent {
  readonly kind: "lose" | "freeze" | "thaw";
  readonly worker: number;
}

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

const sharedEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 20, arbitrary: event },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("lose" as const), worker }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("freeze" as const), worker }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("thaw" as const), worker }) },
);

function runEvents(events: readonly Event[], isShared = false): Model {
  const model = new Model(isShared);
  model.spawn();
  model.spawn();
  for (const happening of events) {
    const target = "worker" in happening ? model.workers[happening.worker % model.workers.length]! : undefined;
    if (happening.kind === "time") model.files.nowMs += happening.ms;
    else if (happening.kind === "spawn") model.spawn();
    else if (happening.kind === "kill") target!.isAlive = false;
    else if (happening.kind === "renew") target!.renew();
    else if (happening.kind === "lose") target!.client.isAnswerLost = true;
    else if (happening.kind === "freeze") target!.client.freeze();
    else if (happening.kind === "thaw") target!.client.thaw();
    else if (happening.kind === "step") for (let i = 0; i < happening.times; i++) target!.step();
  }
  return model;
}

/** Everyone who is left works on, slowly enough for leases to run out; a late comer is there in any case. */
function finish(model: Model): void {
  model.spawn();
  for (let round = 0; round < 3000 && !model.isComplete(); round++) {
    if (round % 100 === 0) model.files.nowMs += ttlMs + 1;
    // Caches are old for a while, not for ever.
    for (const each of model.workers) each.client.thaw();
    for (const each of model.workers) each.step();
    model.workers.at(-1)!.renew();
  }
}

function checkInvariants(model: Model): void {
  const { published } = model.files;
  expect(model.wrong).toEqual([]);
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

  it("does so where answers are lost, and hosts see the files of others late", { timeout: 100 * runs }, () => {
    fc.assert(
      fc.property(fc.array(sharedEvent, { minLength: 20, maxLength: 300 }), (events) => {
        const model = runEvents(events, true);
        checkInvariants(model);
        finish(model);
        expect(model.isComplete()).toBe(true);
        checkInvariants(model);
      }),
      { numRuns: runs },
    );
  });

  describe("where a server repeats itself", () => {
    it("claims with the next number when it is not known who made the folder", () => {
      const files = new ModelFiles(paths);
      const client = new ModelClient(files);
      client.isAnswerLost = true;
      const unused: Claim[] = [];
      const context = { ...newContext(files, "a"), onUnused: (claim: Claim) => unused.push(claim) };
      expect(run(client, claimTarget(0, noAttempts, context))).toEqual({ target: 0, attempt: 2 });
      expect(unused).toEqual([{ target: 0, attempt: 1 }]);
    });

    it("leaves a folder alone that another worker has claimed", () => {
      const files = new ModelFiles(paths);
      const [first, second] = ["a", "b"].map((name) => newContext(files, name));
      run(files, claimTarget(0, noAttempts, first!));
      const client = new ModelClient(files);
      client.isAnswerLost = true;
      expect(run(client, claimTarget(0, noAttempts, second!))).toBeUndefined();
      expect(files.node(paths.attempt(0, 1))).toBeDefined();
    });

    it("knows its own shard when the answer to the commit was lost", () => {
      const files = new ModelFiles(paths);
      const context = newContext(files, "a");
      const claim = run(files, claimTarget(0, noAttempts, context))!;
      files.node(paths.attempt(0, 1))!.entries!.set("done", { ...emptyFile(), text: '{"attempt":1,"worker":"a"}' });
      const client = new ModelClient(files);
      client.isAnswerLost = true;
      expect(run(client, commitAttempt({ ...claim, target: 0 }, context))).toBe("committed");
    });
  });

  it("takes no attempt from a worker whose heartbeats are seen, however old their times look", () => {
    const files = new ModelFiles(paths);
    const [first, second] = ["a", "b"].map((name) => newContext(files, name));
    run(files, claimTarget(0, noAttempts, first!));
    const client = new ModelClient(files);
    client.freeze();
    const claim = () => run(client, claimTarget(0, groupAttempts(files.names(paths.attempts)).get(0)!, second!));
    for (let beat = 0; beat < 20; beat++) {
      files.nowMs += ttlMs;
      files.write(paths.worker("a"), JSON.stringify({ ...first!.lease, beat }));
      expect(claim()).toBeUndefined();
    }
    files.nowMs += ttlMs;
    expect(claim(), "one life of the lease is not enough").toBeUndefined();
    files.nowMs += ttlMs + 1;
    expect(claim()).toEqual({ target: 0, attempt: 2 });
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

function run<T>(files: Pick<ModelFiles, "take">, steps: Steps<T>): T {
  let next = steps.next();
  while (!next.done) next = steps.next(files.take(next.value));
  return next.value;
}
