import { describe, expect, it } from "vitest";
import type { StartedWorker } from "../../../../src/launchers/launcher.ts";
import { openEarlyPool } from "../../../../src/launchers/local/early-pool.ts";

/** Workers that only report how they ended. */
function workers() {
  const events: string[] = [];
  const start = ({ slot, name }: { readonly slot: number; readonly name: string }): StartedWorker => {
    events.push(`started ${slot}`);
    return {
      name,
      ended: new Promise(() => {}),
      send: ({ kind }) => events.push(`${kind} ${slot}`),
      kill: () => events.push(`killed ${slot}`),
    };
  };
  return { events, start };
}

describe("openEarlyPool", () => {
  it("starts workers before they are asked for, and each of them once", () => {
    const { events, start } = workers();
    const pool = openEarlyPool(2, start);
    expect(events).toEqual(["started 0", "started 1"]);
    pool.start({ slot: 0, name: "a" });
    expect(events).toEqual(["started 0", "started 1"]);
    pool.start({ slot: 0, name: "its replacement" });
    expect(events).toEqual(["started 0", "started 1", "started 0"]);
  });

  it("gives early workers different names", () => {
    const { start } = workers();
    const pool = openEarlyPool(2, start);
    const names = [0, 1].map((slot) => pool.start({ slot, name: "unused" }).name);
    expect(new Set([...names, "unused"]).size).toBe(3);
  });

  it("ends those that were not asked for", () => {
    const { events, start } = workers();
    const pool = openEarlyPool(2, start);
    pool.start({ slot: 0, name: "a" });
    pool.close();
    expect(events).toEqual(["started 0", "started 1", "killed 1"]);
  });
});
