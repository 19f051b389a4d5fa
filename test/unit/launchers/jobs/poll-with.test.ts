import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pollWith, within } from "../../../../src/launchers/jobs/poll-with.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often was asked in this number of seconds. */
async function askedIn(seconds: number, maxMs: number): Promise<number> {
  let asked = 0;
  const poll = pollWith(async () => {
    asked++;
    return maxMs;
  });
  for (let i = 0; i < seconds * 4; i++) {
    poll.ifDue();
    await vi.advanceTimersByTimeAsync(250);
  }
  return asked;
}

it("asks less and less often, but no less often than the given limit", async () => {
  expect(await askedIn(60, 1000)).toBeGreaterThan(40);
  const seldom = await askedIn(60, 30_000);
  expect(seldom).toBeGreaterThan(5);
  expect(seldom).toBeLessThan(20);
});

it("asks one question at a time, and blocks nothing meanwhile", async () => {
  let asked = 0;
  let answer = (_ms: number): void => {};
  const poll = pollWith(() => {
    asked++;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  await vi.advanceTimersByTimeAsync(1000);
  poll.ifDue();
  await vi.advanceTimersByTimeAsync(100_000);
  poll.ifDue();
  expect(asked).toBe(1);
  const idle = poll.whenIdle();
  answer(1000);
  await idle;
  await vi.advanceTimersByTimeAsync(2000);
  poll.ifDue();
  expect(asked).toBe(2);
});

it("throws what a question has thrown when it is to ask again", async () => {
  const poll = pollWith(() => Promise.reject(new Error("gone")));
  await vi.advanceTimersByTimeAsync(1000);
  poll.ifDue();
  await poll.whenIdle();
  expect(() => poll.ifDue()).toThrow("gone");
});

it("waits within a time", async () => {
  const never = within(1000, new Promise(() => {}));
  await vi.advanceTimersByTimeAsync(1000);
  expect(await never).toBe(false);
  expect(await within(1_000_000, Promise.resolve())).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
