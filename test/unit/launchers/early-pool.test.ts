import { describe, expect, it } from "vitest";
import { openEarlyPool } from "../../../src/launchers/early-pool.ts";
import type { StartedWorker } from "../../../src/launchers/supervise.ts";

/** Workers that only say what became of them. */
function workers() {
  const told: string[] = [];
  const start = ({ slot, name }: { readonly slot: number; readonly name: string }): StartedWorker => {
    told.push(`started ${slot}`);
    return {
      name,
      ended: new Promise(() => {}),
      begin: () => told.push(`began ${slot}`),
      leave() {},
      kill: () => told.push(`killed ${slot}`),
    };
  };
  return { told, start };
}

describe("openEarlyPool", () => {
  it("starts workers before they are asked for, and each of them once", () => {
    const { told, start } = workers();
    const pool = openEarlyPool(2, start);
    expect(told).toEqual(["started 0", "started 1"]);
    pool.start({ slot: 0, name: "a" });
    expect(told).toEqual(["started 0", "started 1"]);
    pool.start({ slot: 0, name: "its replacement" });
    expect(told).toEqual(["started 0", "started 1", "started 0"]);
  });

  it("gives early workers different names", () => {
    const { start } = workers();
    const pool = openEarlyPool(2, start);
    const names = [0, 1].map((slot) => pool.start({ slot, name: "unused" }).name);
    expect(new Set([...names, "unused"]).size).toBe(3);
  });

  it("ends those that nobody has asked for", () => {
    const { told, start } = workers();
    const pool = openEarlyPool(2, start);
    pool.start({ slot: 0, name: "a" });
    pool.close();
    expect(told).toEqual(["started 0", "started 1", "killed 1"]);
  });
});
