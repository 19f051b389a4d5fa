import { MillraceError, messageOf } from "../shared/errors.ts";
import { failuresName } from "../store/shard-file-names.ts";
import { encodeRecord } from "../writers/jsonl-writer.ts";
import { LineWriter } from "../writers/line-writer.ts";
import type { CheckpointingWriter } from "../writers/writer.ts";

/** One line of `failures.jsonl`. */
export interface FailureRecord {
  readonly item: number;
  /** Where the item stands in its shard. */
  readonly position: number;
  readonly error: { readonly name: string; readonly message: string; readonly code?: string };
  readonly stack?: string;
  readonly attempt: number;
  readonly tries: number;
  /** Where the item's output would stand in each file of the shard, so that a later retry can put it there. */
  readonly at: Readonly<Record<string, number>>;
}

/** Opens the shard's list of failed items; the file appears with the first failure. */
export function openFailureLog(shardDir: string): LineWriter<FailureRecord> {
  return new LineWriter<FailureRecord>(shardDir, failuresName, encodeRecord);
}

/** An error as plain data. */
export function describeError(error: unknown): Pick<FailureRecord, "error" | "stack"> {
  if (!(error instanceof Error)) return { error: { name: typeof error, message: messageOf(error) } };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    // An error of the user's may have anything in these two.
    error: { name: String(error.name ?? "Error"), message: messageOf(error), ...(code === undefined ? {} : { code }) },
    ...(typeof error.stack === "string" ? { stack: error.stack } : {}),
  };
}

/** The length of each file at this moment: where the output of the next item begins. */
export async function outputOffsets(
  writers: ReadonlyMap<string, CheckpointingWriter> | undefined,
): Promise<Record<string, number>> {
  const offsets: Record<string, number> = {};
  for (const writer of writers?.values() ?? []) {
    for (const { name, bytes } of (await writer.checkpoint()).files) offsets[name] = bytes;
  }
  return offsets;
}

/** Counts the failures of a run against what the user allows. */
export class FailureBudget {
  private count: number;
  private readonly most: number;

  constructor(most: number, alreadyFailed: number) {
    this.most = most;
    this.count = alreadyFailed;
  }

  /** Failures that an earlier attempt at a shard had written down before it stopped. */
  recall(failed: number): void {
    this.count += failed;
  }

  spend(item: number, error: unknown): void {
    this.count++;
    if (this.count <= this.most) return;
    throw tooManyFailures(this.count, this.most, { item, error });
  }
}

/** The run has more failed items than the user allows. */
export function tooManyFailures(
  failed: number,
  allowed: number,
  last?: { readonly item: number; readonly error: unknown },
): MillraceError {
  const which = last === undefined ? "" : `The last one was item ${last.item}: ${messageOf(last.error)}. `;
  return new MillraceError("TOO_MANY_FAILURES", `${failed} items failed, more than maxFailures allows (${allowed}).`, {
    ...(last === undefined ? {} : { cause: last.error, item: last.item }),
    hint: `${which}Look at failures.jsonl in the shard folders; run again to go on.`,
  });
}
