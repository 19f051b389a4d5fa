import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** What is waited for, in words. */
  readonly what: string;
  /** Default a minute: what comes is seen at once, and a busy machine is no reason to fail. */
  readonly timeoutMs?: number;
  /** What to say besides, when it does not come. */
  readonly details?: () => string;
  /** Whether it can no longer come. */
  readonly isHopeless?: () => boolean;
}

/** Asks again and again until the answer is neither undefined nor false; a question that fails is asked again. */
export async function waitUntil<T>(
  question: () => T | undefined | false | Promise<T | undefined | false>,
  { what, timeoutMs = 200_000, details, isHopeless }: WaitOptions,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let complaint: unknown;
  for (;;) {
    try {
      complaint = undefined;
      const answer = await question();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      complaint = error;
    }
    if (performance.now() > deadline || isHopeless?.()) break;
    await sleep(50);
  }
  const waited = isHopeless?.() ? "it cannot come any more" : `it did not come in ${timeoutMs} ms`;
  throw new Error(`waited for ${what}: ${waited}\n${details?.() ?? ""}`, { cause: complaint });
}
