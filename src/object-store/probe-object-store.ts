import { randomUUID } from "node:crypto";
import { messageOf } from "../errors/errors.ts";
import { minPartBytes } from "./multipart.ts";
import type { ObjectStore } from "./object-store.ts";

/** One property of a store, as it was found. */
export interface StoreFinding {
  readonly state: "fine" | "note" | "wrong";
  readonly what: string;
  readonly detail: string;
  readonly hint?: string;
}

const creators = 64;
const rounds = 10;
const clockDriftMs = 5000;
const unsafe = "Runs on this store are not safe: two workers could both own a shard. Choose another one.";

/** Tries what the protocol of runs needs of a store, below a prefix of its own, which is removed afterwards. */
export async function* probeObjectStore(store: ObjectStore, prefix: string): AsyncGenerator<StoreFinding> {
  const place = `${prefix}${prefix === "" || prefix.endsWith("/") ? "" : "/"}.doctor-${randomUUID()}/`;
  const reached = await attempt("object store", () => reach(store, place));
  yield reached;
  if (reached.state === "wrong") return;
  try {
    yield await attempt("exclusive creates", () => raceCreators(store, place));
    yield await attempt("marks of requests", () => readMark(store, place));
    yield await attempt("read after write", () => readAfterWrite(store, place));
    yield await attempt("list after write", () => listAfterWrite(store, place));
    yield await attempt("clock", () => compareTimes(store, place));
    yield await attempt("copies by the store", () => joinOnStore(store, place));
  } finally {
    yield await attempt("clean-up", () => removeAll(store, place));
  }
}

type Outcome = Omit<StoreFinding, "what">;

const fine = (detail: string): Outcome => ({ state: "fine", detail });
const wrong = (detail: string, hint: string): Outcome => ({ state: "wrong", detail, hint });

async function attempt(what: string, act: () => Promise<Outcome>): Promise<StoreFinding> {
  try {
    return { what, ...(await act()) };
  } catch (error) {
    const { hint } = error as { hint?: unknown };
    const [detail] = messageOf(error).split("\n  -> ") as [string];
    return { what, state: "wrong", detail, hint: typeof hint === "string" ? hint : unsafe };
  }
}

async function reach(store: ObjectStore, place: string): Promise<Outcome> {
  const began = performance.now();
  for (let i = 0; i < rounds; i++) await store.put(`${place}reach`, `round ${i}`);
  const ms = (performance.now() - began) / rounds;
  return fine(`s3://${store.bucket} can be written to, ${ms.toFixed(ms < 10 ? 1 : 0)} ms a small object`);
}

/** The basis of claim and commit: of all that create an object one succeeds. */
async function raceCreators(store: ObjectStore, place: string): Promise<Outcome> {
  for (let round = 1; round <= rounds; round++) {
    const key = `${place}race-${round}`;
    const bodies = Array.from({ length: creators }, (_, i) => `creator ${i}`);
    const made = await Promise.all(bodies.map((body) => store.create(key, body)));
    const winners = bodies.filter((_, i) => made[i]!.kind === "created");
    if (winners.length !== 1) {
      const won = winners.length === 0 ? "none" : winners.length;
      return wrong(`in round ${round}, ${won} of ${creators} that created the same object at once won`, unsafe);
    }
    const kept = (await store.read(key))?.bytes.toString();
    if (kept !== winners[0])
      return wrong(`in round ${round} the object has what another than the winner wrote`, unsafe);
    if ((await store.create(key, "late")).kind === "created")
      return wrong("an object that was there was created again: If-None-Match is ignored", unsafe);
  }
  return fine(`of ${creators} at once one won, in each of ${rounds} rounds`);
}

/** A request whose answer was lost is known again by its mark, which is user data of the object. */
async function readMark(store: ObjectStore, place: string): Promise<Outcome> {
  const putId = randomUUID();
  await store.create(`${place}mark`, "x", { putId });
  if ((await store.head(`${place}mark`))?.putId === putId) return fine("kept with the object");
  return wrong(
    "user data of an object (x-amz-meta-…) does not come back",
    "A request whose answer is lost could not be known again. A proxy may remove the header; or choose another store.",
  );
}

async function readAfterWrite(store: ObjectStore, place: string): Promise<Outcome> {
  const key = `${place}read`;
  const stale = wrong(
    "after a write an older state is read",
    "This store, or a cache before it, is not consistent: choose another one.",
  );
  for (let round = 0; round < rounds; round++) {
    await store.put(key, `round ${round}`);
    if ((await store.read(key))?.bytes.toString() !== `round ${round}`) return stale;
    const part = await store.read(key, { from: 6, to: 7 });
    if (part?.bytes.toString() !== String(round)) return stale;
  }
  await store.remove(key);
  return (await store.head(key)) === undefined ? fine("at once, also of parts and of what was removed") : stale;
}

async function listAfterWrite(store: ObjectStore, place: string): Promise<Outcome> {
  const keys: string[] = [];
  for (let i = 0; i < rounds; i++) {
    const key = `${place}list/split.${i}/done`;
    await store.put(key, "x");
    keys.push(key);
    const listed = await keysBelow(store, `${place}list/`, 3);
    if (listed.join("\n") !== [...keys].sort().join("\n"))
      return lateList(`after ${i + 1} writes ${listed.length} are listed`);
  }
  await store.remove(keys[0]!);
  const left = await keysBelow(store, `${place}list/`, 3);
  return left.length === keys.length - 1 ? fine("at once, over several pages") : lateList("what was removed is listed");
}

/** Every decision is made by creating an object; lists only find work. */
function lateList(detail: string): Outcome {
  const hint = "Runs are right but slower on it: a worker may look for work where there is none, or start late.";
  return { state: "note", detail, hint };
}

async function keysBelow(store: ObjectStore, prefix: string, pageKeys?: number): Promise<string[]> {
  const keys: string[] = [];
  for await (const { objects } of store.list(prefix, { pageKeys })) keys.push(...objects.map(({ key }) => key));
  return keys;
}

/** Ages of heartbeats are the store's own: its Date against its Last-Modified. */
async function compareTimes(store: ObjectStore, place: string): Promise<Outcome> {
  await store.put(`${place}time`, "x");
  const info = await store.head(`${place}time`);
  const missing = [
    ...(Number.isNaN(info?.nowMs) ? ["Date"] : []),
    ...(Number.isNaN(info?.modifiedMs) ? ["Last-Modified"] : []),
  ];
  const silent =
    "Workers could not see that another one is gone. A proxy may remove the header; or choose another store.";
  if (info === undefined || missing.length > 0) return wrong(`answers have no ${missing.join(" and no ")}`, silent);
  const ageMs = info.nowMs - info.modifiedMs;
  if (Math.abs(ageMs) > clockDriftMs)
    return wrong(`an object that was just written is ${ageMs / 1000} s old by the store's own times`, silent);
  const driftMs = info.nowMs - Date.now();
  if (Math.abs(driftMs) < clockDriftMs) return fine("Date and Last-Modified agree");
  const detail = `the store's is ${Math.round(driftMs / 1000)} s from this host's; only the store's counts`;
  return { state: "note", detail };
}

async function joinOnStore(store: ObjectStore, place: string): Promise<Outcome> {
  const [large, small, joined] = [`${place}large`, `${place}small`, `${place}joined`];
  await store.put(large, Buffer.alloc(minPartBytes, "0123456789"));
  await store.put(small, "the end");
  await store.join(joined, [
    { key: large, from: 0, to: minPartBytes },
    { key: small, from: 0, to: 7 },
  ]);
  const end = await store.read(joined, { from: minPartBytes - 1 });
  const isRight = end?.info.sizeBytes === minPartBytes + 7 && end.bytes.toString().endsWith("the end");
  return isRight ? fine("parts of objects are joined there") : wrong("a joined object has other bytes", unsafe);
}

async function removeAll(store: ObjectStore, place: string): Promise<Outcome> {
  for (const key of await keysBelow(store, place)) await store.remove(key);
  const left = await keysBelow(store, place);
  if (left.length === 0) return fine("nothing is left");
  return { state: "note", detail: `${left.length} objects are still listed below ${place}` };
}
