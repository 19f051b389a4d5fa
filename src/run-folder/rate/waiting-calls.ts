/** The calls that wait for a token, first come first served. */
export interface WaitingCalls {
  readonly count: number;
  /** Since when the first has waited. */
  readonly since: number | undefined;
  readonly waitedMs: number;
  /** Resolves when it is this call's turn, and rejects when its signal aborts. */
  add(signal?: AbortSignal): Promise<void>;
  resolveFirst(): void;
  rejectAll(error: unknown): void;
}

interface WaitingCall {
  readonly sinceMs: number;
  end(error?: unknown): void;
}

export function openWaitingCalls(now: () => number): WaitingCalls {
  // A set keeps the order, and removes a call from the middle at no cost.
  const calls = new Set<WaitingCall>();
  let endedMs = 0;
  const first = () => calls.values().next().value;
  return {
    get count() {
      return calls.size;
    },
    get since() {
      return first()?.sinceMs;
    },
    get waitedMs() {
      const nowMs = now();
      let waitedMs = endedMs;
      for (const { sinceMs } of calls) waitedMs += nowMs - sinceMs;
      return waitedMs;
    },
    add: (signal) =>
      new Promise((resolve, reject) => {
        const onAbort = () => call.end(signal?.reason);
        const call: WaitingCall = {
          sinceMs: now(),
          end(...error) {
            calls.delete(call);
            endedMs += now() - call.sinceMs;
            signal?.removeEventListener("abort", onAbort);
            if (error.length === 0) resolve();
            else reject(error[0]);
          },
        };
        calls.add(call);
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
    resolveFirst: () => first()?.end(),
    rejectAll(error) {
      for (const call of calls) call.end(error);
    },
  };
}
