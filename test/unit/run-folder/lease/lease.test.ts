import { describe, expect, it } from "vitest";
import { isHeld, type Lease, parseLease } from "../../../../src/run-folder/lease/lease.ts";
import { identify } from "../../../../src/runtime/process-identity.ts";

const mine: Lease = { worker: "w-1", ttlMs: 1000, ...identify() };
const text = JSON.stringify(mine);
// Linux gives no process a number as high as this.
const gone = JSON.stringify({ ...mine, pid: 2 ** 30 });

describe("a lease", () => {
  it("is held while it is young and its process lives", () => {
    expect(isHeld({ text, ageMs: 1000 }, { ttlMs: 5 })).toBe(true);
  });

  it("is not held when it is older than it says itself", () => {
    expect(isHeld({ text, ageMs: 1001 }, { ttlMs: 60_000 })).toBe(false);
  });

  it("is not held when its process is gone, however young it is", () => {
    expect(isHeld({ text: gone, ageMs: 0 }, { ttlMs: 60_000 })).toBe(false);
  });

  it("is held when its process has ended on a host that cannot be asked", () => {
    const elsewhere = JSON.stringify({ ...mine, host: "other", pid: 2 ** 30 });
    expect(isHeld({ text: elsewhere, ageMs: 0 }, { ttlMs: 60_000 })).toBe(true);
  });

  it("asks the judge's own check where there is one", () => {
    const asked: string[] = [];
    const isDead = (holder: Lease) => asked.push(holder.worker) > 0;
    expect(isHeld({ text, ageMs: 0 }, { ttlMs: 5, isDead })).toBe(false);
    expect(asked).toEqual(["w-1"]);
  });

  it.each(["", "{", text.slice(0, 20), "null", "[]", "5", '{"worker":"w"}'])(
    "that is torn (%j) is held by its age alone",
    (torn) => {
      expect(isHeld({ text: torn, ageMs: 100 }, { ttlMs: 100 })).toBe(true);
      expect(isHeld({ text: torn, ageMs: 101 }, { ttlMs: 100 })).toBe(false);
    },
  );

  it("is read with the blanks that fill its file", () => {
    expect(parseLease(`${text}${" ".repeat(200)}\n`)).toEqual(mine);
  });
});
