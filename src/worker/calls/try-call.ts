import { isBatched } from "../../contract/work-options.ts";
import { isItemError } from "../../errors/item-error.ts";
import { awaitHook } from "../shard/call-forward.ts";
import { checkBatchResult } from "../shard/fold-result.ts";
import type { ShardAttempt } from "../shard/shard-attempt.ts";
import { ShardInterrupted } from "../shard/shard-context.ts";
import type { Answer } from "./answer.ts";
import type { OpenCall } from "./open-call.ts";
import type { Prefetcher } from "./prefetcher.ts";
import { isBusy, isMistake, isRepeated, retryDelay } from "./retry-delay.ts";

/** The items of one call of `forward`. */
export interface CallItems {
  readonly position: number;
  readonly indices: readonly number[];
}

export interface CallPort {
  readonly call: OpenCall;
  readonly prefetcher: Prefetcher | undefined;
  /** Waits before the next try. By default the slot of the call is released while it waits. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

/**
 * Makes one call of `forward`, and repeats it up to `retries` times. The caller has taken a slot for it. A batch that
 * fails is halved until the bad item is alone, unless the server has asked to wait.
 */
export async function tryCall(work: ShardAttempt, items: CallItems, port: CallPort): Promise<Answer[]> {
  const { hooks, context } = work;
  const { options } = context.worker.task;
  const { rate, retries } = context.calls;
  const { call } = port;
  const isBatch = items.indices.length > 1;
  for (let retry = 0; ; retry++) {
    try {
      return await callOnce(work, items, { ...port, tries: retry + 1 });
    } catch (error) {
      if (call.interruption !== undefined) throw new ShardInterrupted(call.interruption);
      if (error instanceof ShardInterrupted || isMistake(error)) throw error;
      rate?.slowDown(error);
      if (isBatch && !isBusy(error)) return halve(work, items, port);
      if (!isRepeated(error, retry, { hooks, policy: options })) {
        return isBatch ? halve(work, items, port) : [{ kind: "failed", count: 1, error, tries: retry + 1 }];
      }
      retries.count++;
      const ms = retryDelay(error, { retry, policy: options });
      retries.waiting++;
      await (port.pause?.(ms) ?? waitWithoutSlot(work, call, ms)).finally(() => retries.waiting--);
      if (call.interruption !== undefined) throw new ShardInterrupted(call.interruption);
    }
  }
}

async function callOnce(
  { hooks, env, context }: ShardAttempt,
  { position, indices }: CallItems,
  { call, prefetcher, tries }: CallPort & { readonly tries: number },
): Promise<Answer[]> {
  const { options } = context.worker.task;
  const batched = isBatched(options);
  if (call.interruption !== undefined) throw new ShardInterrupted(call.interruption);
  call.begin(tries);
  const { rate } = context.calls;
  // The signal is only read if the call may have to wait.
  if (rate !== undefined) await rate.take(call.context.signal);
  const limits = { timeoutMs: options.itemTimeoutMs, indices, call };
  if (prefetcher !== undefined) {
    const values = await prefetched(prefetcher, position, limits);
    call.begin(tries, batched ? values : values[0]);
  }
  const answer = hooks.forward(batched ? [...indices] : indices[0]!, env, call.context);
  const result = await awaitHook(answer, limits);
  if (!batched) return [answerOf(result)];
  checkBatchResult(hooks, indices, result);
  if (hooks.writeBatch !== undefined) return [{ kind: "result", count: indices.length, result }];
  return (result as unknown[]).map(answerOf);
}

async function prefetched(
  prefetcher: Prefetcher,
  position: number,
  limits: Parameters<typeof awaitHook>[1],
): Promise<unknown[]> {
  const { indices } = limits;
  try {
    return await awaitHook(prefetcher.get(position, indices), { ...limits, hook: "prefetch" });
  } catch (error) {
    // The next try fetches it again, instead of waiting for the fetch that was too slow.
    prefetcher.release(position, indices.length);
    throw error;
  }
}

function answerOf(result: unknown): Answer {
  return isItemError(result)
    ? { kind: "failed", count: 1, error: result, tries: 1 }
    : { kind: "result", count: 1, result };
}

async function halve(work: ShardAttempt, { position, indices }: CallItems, port: CallPort): Promise<Answer[]> {
  const middle = Math.ceil(indices.length / 2);
  const first = await tryCall(work, { position, indices: indices.slice(0, middle) }, port);
  const second = await tryCall(work, { position: position + middle, indices: indices.slice(middle) }, port);
  return [...first, ...second];
}

async function waitWithoutSlot({ context }: ShardAttempt, call: OpenCall, ms: number): Promise<void> {
  const { slots } = context.calls;
  slots.release();
  await sleepUntilInterrupted(call, ms);
  await slots.take();
}

/** Sleeps for `ms`, or until the call is interrupted. */
export function sleepUntilInterrupted({ context: { signal } }: OpenCall, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", end);
  });
}
