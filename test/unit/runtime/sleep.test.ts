import { describe, expect, it } from "vitest";
import { sleepUnless } from "../../../src/runtime/sleep.ts";

describe("sleepUnless", () => {
  it("asks often at first, and less often the longer it has slept", async () => {
    const asked: number[] = [];
    const began = performance.now();
    await sleepUnless(200, () => {
      asked.push(performance.now() - began);
      return false;
    });
    expect(asked.at(-1)! + 10).toBeGreaterThanOrEqual(190);
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.length).toBeLessThan(60);
  });

  it("does not sleep where it is over already", async () => {
    let asked = 0;
    await sleepUnless(60_000, () => {
      asked++;
      return true;
    });
    expect(asked).toBe(1);
  });

  it("wakes once it is over", async () => {
    let asked = 0;
    await sleepUnless(60_000, () => ++asked > 5);
    expect(asked).toBe(6);
  });
});
