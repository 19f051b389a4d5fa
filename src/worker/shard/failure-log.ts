import type { WorkOptions } from "../../contract/work-options.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { isCount } from "../../run-folder/shard/done.ts";
import { failuresName } from "../../run-folder/shard/shard-file-names.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { cutStack, cutText } from "../../text/cut-text.ts";
import { encodeRecord } from "../../writers/jsonl-writer.ts";
import { LineWriter } from "../../writers/line-writer.ts";
import type { CheckpointingWriter } from "../../writers/writer.ts";

/** One line of `failures.jsonl`. */
export interface FailureRecord {
  readonly item: number;
  /** The id of the item, if the run is over a dataset with ids. */
  readonly id?: string;
  /** The item's position in its shard. */
  readonly position: number;
  readonly error: { readonly name: string; readonly message: string; readonly code?: string };
  readonly stack?: string;
  readonly attempt: number;
  readonly tries: number;
  /** The offset in each file of the shard at which a later retry inserts the item's output. */
  readonly at: Readonly<Record<string, number>>;
}

/** Whether a line of the file has the fields of a failure. */
export function isFailureRecord(value: unknown): value is FailureRecord {
  const record = value as Partial<FailureRecord> | null;
  const { error, stack, at } = record ?? {};
  return (
    [record?.item, record?.position, record?.attempt, record?.tries].every(isCount) &&
    typeof error?.name === "string" &&
    typeof error.message === "string" &&
    [record?.id, error.code, stack].every((text) => text === undefined || typeof text === "string") &&
    typeof at === "object" &&
    at !== null &&
    Object.values(at).every(isCount)
  );
}

/** Opens the shard's list of failed items. The file appears with the first failure. */
export function openFailureLog(shardDir: string): LineWriter<FailureRecord> {
  return new LineWriter<FailureRecord>(shardDir, failuresName, encodeRecord);
}

/** An error as plain data, each text of it at most 64 kB. */
export function describeError(error: unknown): Pick<FailureRecord, "error" | "stack"> {
  const message = cutText(messageOf(error));
  if (!(error instanceof Error)) return { error: { name: typeof error, message } };
  const { stack } = error;
  const code = "code" in error && typeof error.code === "string" ? cutText(error.code) : undefined;
  return {
    // The user's error may have any value in these two.
    error: { name: cutText(String(error.name ?? "Error")), message, ...(code === undefined ? {} : { code }) },
    ...(typeof stack === "string"
      ? { stack: cutStack({ stack: maskSecrets(stack), message: maskSecrets(String(error.message)) }) }
      : {}),
  };
}

/** The current length of each file: the output of the next item begins there. */
export async function outputOffsets(
  writers: ReadonlyMap<string, CheckpointingWriter> | undefined,
): Promise<Record<string, number>> {
  const offsets: Record<string, number> = {};
  for (const writer of writers?.values() ?? []) {
    for (const { name, bytes } of (await writer.checkpoint()).files) offsets[name] = bytes;
  }
  return offsets;
}

/** How many items may fail: a `maxFailures` below 1 is a share of the items. */
export function allowedFailures({ maxFailures }: Pick<WorkOptions, "maxFailures">, { items }: Plan): number {
  return maxFailures > 0 && maxFailures < 1 ? Math.floor(maxFailures * items.count) : maxFailures;
}

/** Counts the failures of a run against what the user allows. */
export class FailureBudget {
  private count: number;
  private readonly max: number;

  constructor(max: number, alreadyFailed: number) {
    this.max = max;
    this.count = alreadyFailed;
  }

  /** Adds failures that an earlier attempt at a shard has recorded. */
  addPrior(failed: number): void {
    this.count += failed;
  }

  recordFailure(item: number, error: unknown): void {
    this.count++;
    if (this.count <= this.max) return;
    throw tooManyFailures(this.count, this.max, { item, error });
  }
}

/** The error for a run with more failed items than the user allows. */
export function tooManyFailures(
  failed: number,
  allowed: number,
  last?: { readonly item: number; readonly error: unknown },
): MillraceError {
  const which = last === undefined ? "" : `The last one was item ${last.item}: ${cutText(messageOf(last.error))}. `;
  return new MillraceError("TOO_MANY_FAILURES", `${failed} items failed, more than maxFailures allows (${allowed}).`, {
    ...(last === undefined ? {} : { cause: last.error, item: last.item }),
    hint: `${which}Look at failures.jsonl in the shard folders; run again to continue.`,
  });
}
