import { describe, expect, it } from "vitest";
import { RetryAfterError } from "../../../../src/errors/retry-after-error.ts";
import { isBusy, retryDelay } from "../../../../src/worker/calls/retry-delay.ts";

const failure = new Error("no");
const policy = { retries: 5, retryDelayMs: 200, maxRetryDelayMs: 1000 };
const delay = (retry: number, share: number, error: unknown = failure) =>
  retryDelay(error, { retry, policy, random: () => share });

describe("the pause before a further try", () => {
  it("is anything between nothing and a limit that doubles, up to the longest", () => {
    expect([0, 1, 2, 3, 4].map((retry) => delay(retry, 1))).toEqual([200, 400, 800, 1000, 1000]);
    expect([0, 1, 2, 3, 4].map((retry) => delay(retry, 0))).toEqual([0, 0, 0, 0, 0]);
    expect(delay(1, 0.25)).toBe(100);
    expect(delay(10_000, 1)).toBe(1000);
  });

  it("is at most 0.1 s at first and half a minute later, where nothing else is said", () => {
    const usual = (retry: number) => retryDelay(failure, { retry, policy: { retries: 99 } as never, random: () => 1 });
    expect([0, 1, 50].map(usual)).toEqual([100, 200, 30_000]);
  });

  it("differs from call to call", () => {
    const pauses = Array.from({ length: 20 }, () => retryDelay(failure, { retry: 3, policy }));
    expect(new Set(pauses).size).toBeGreaterThan(10);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1000);
  });

  it("comes after what the server asked for, of which it believes an hour", () => {
    expect(delay(0, 0.5, Object.assign(new Error("busy"), { retryAfterMs: 5000 }))).toBe(5100);
    const response = new Response("", { status: 429, headers: { "retry-after": "7" } });
    expect(delay(0, 0, new RetryAfterError("busy", { response }))).toBe(7000);
    expect(delay(0, 0, Object.assign(new Error("busy"), { retryAfterMs: 1e12 }))).toBe(3_600_000);
  });
});

it("a server is busy that answers 429 or 503, or asks to be called later", () => {
  expect([{ status: 429 }, { status: 503 }, { retryAfterMs: 1 }].map(isBusy)).toEqual([true, true, true]);
  expect([{ status: 500 }, { status: 404 }, failure, undefined].map(isBusy)).toEqual([false, false, false, false]);
});
