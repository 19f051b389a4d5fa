import type { CallContext } from "../../contract/call-context.ts";
import { currentWorker } from "../../runtime/current-worker.ts";

/** Why a call was interrupted. */
export type Interruption = "leaving" | "lost";

/** The context of calls of `forward` that come one after another, and the ways to end the current one. */
export interface OpenCall {
  /** The same object for every call, so that it costs tiny items nothing. */
  readonly context: CallContext<unknown>;
  /** Begins the next call: it gets a new signal. */
  begin(tries: number, prefetched?: unknown): void;
  /** Whether `forward` has read its signal, so that it may react to it. */
  readonly isListening: boolean;
  readonly interruption: Interruption | undefined;
  /** Aborts the call because of its time limit. */
  timeOut(error: Error): void;
  /** Aborts the call because its answer is not needed any more. */
  interrupt(why: Interruption): void;
}

export function openCall(attempt: number): OpenCall {
  const { worker } = currentWorker();
  // Made when it is first read: most functions never read it.
  let controller: AbortController | undefined;
  let aborted: { readonly reason: unknown } | undefined;
  let interruption: Interruption | undefined;
  let tries = 1;
  let prefetched: unknown;
  const abort = (reason: unknown) => {
    aborted ??= { reason };
    controller?.abort(reason);
  };
  return {
    context: {
      get signal() {
        if (controller === undefined) {
          controller = new AbortController();
          if (aborted !== undefined) controller.abort(aborted.reason);
        }
        return controller.signal;
      },
      attempt,
      get tries() {
        return tries;
      },
      worker,
      get prefetched() {
        return prefetched;
      },
    },
    begin(now, value) {
      tries = now;
      prefetched = value;
      if (interruption !== undefined) return;
      controller = undefined;
      aborted = undefined;
    },
    get isListening() {
      return controller !== undefined;
    },
    get interruption() {
      return interruption;
    },
    timeOut: abort,
    interrupt(why) {
      interruption ??= why;
      abort(new DOMException(reasons[why], "AbortError"));
    },
  };
}

const reasons: Record<Interruption, string> = {
  leaving: "The run was asked to stop.",
  lost: "Another worker has this shard now.",
};
