import { statSync } from "node:fs";
import {
  type Awaitable,
  BaseRunner,
  defineRunner,
  type ItemIndex,
  jsonlWriter,
  MillraceError,
  type RunnerOptions,
  type Writer,
} from "../../index.ts";
import { type BorrowedBuffer, borrowBuffer } from "./borrow-buffer.ts";
import { publishSplit } from "./outputs/publish-split.ts";
import { recordsName } from "./outputs/read-shard.ts";
import { vectorWriter } from "./outputs/vector-writer.ts";
import { writeWhole } from "./outputs/write-whole.ts";
import { type PreparedUtterance, prepareUtterance } from "./prepare-utterance.ts";
import { recipesUrl } from "./recipes-url.ts";
import { noCost } from "./split-utterances.ts";
import type { XVectorEnv, XVectorProvider } from "./xvector-provider.ts";
import type { XVectorRecord, XVectorResult } from "./xvector-result.ts";
import type { XVectorSummary } from "./xvector-summary.ts";

/** One vector for each utterance of a manifest or dataset. Items are its rows. */
export class XVectorRunner extends BaseRunner<XVectorEnv, XVectorResult, object, ItemIndex> {
  declare readonly provider: XVectorProvider;

  constructor(provider: XVectorProvider, options?: RunnerOptions<ItemIndex>) {
    super(provider, options);
  }

  /** With `batchSize` an array of rows, whose failing ones are found without computing the others again. */
  static async forward(idx: ItemIndex, env: XVectorEnv): Promise<XVectorResult | XVectorResult[]> {
    return typeof idx === "number" ? XVectorRunner.embedOne(idx, env) : embed(idx, env);
  }

  /** The vector of one row. */
  static async embedOne(idx: number, env: XVectorEnv): Promise<XVectorResult> {
    return (await embed([idx], env))[0]!;
  }

  /** Seconds, estimated from the file size where a row does not say them, which is enough for batches. */
  static itemCost(idx: number, { utterances }: XVectorEnv): number {
    const utterance = utterances.at(idx);
    if ("then" in utterance) throw noCost(utterances.path);
    const { path, row } = utterance;
    if (row?.seconds !== undefined) return row.seconds;
    const size = row?.sizeBytes ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return size / (/\.(?:mp3|ogg|opus|oga|m4a|webm)$/i.test(path) ? 4_000 : 32_000);
  }

  static override openWriters(shardDir: string): XVectorWriters {
    return { records: jsonlWriter<XVectorRecord>(shardDir, recordsName), vectors: vectorWriter(shardDir) };
  }

  static override writeRecord(
    { vectors, records }: XVectorWriters,
    { record, vector }: XVectorResult,
    _state: object,
    { format, places }: XVectorEnv,
  ): void {
    if (format.kind === "each") writeWhole(places.utterance(record.utt_id), format.encode(vector), places);
    vectors.write(vector);
    records.write(record);
  }

  override merge(shardDirs: string[]): Awaitable<XVectorSummary> {
    const { config, params } = this.provider;
    return publishSplit({ shardDirs, runDir: this.runDir, config, params });
  }
}

defineRunner({ url: recipesUrl }, XVectorRunner);

interface XVectorWriters {
  readonly records: Writer<XVectorRecord>;
  readonly vectors: Writer<Float32Array>;
}

async function embed(indices: readonly number[], env: XVectorEnv): Promise<XVectorResult[]> {
  const { ready, model } = env;
  const open = indices.filter((idx) => !ready.has(idx));
  const buffers = open.map(borrowBuffer);
  let failed: Outcome | undefined;
  try {
    const outcomes = await prepareAll(open, env, buffers);
    const prepared = outcomes.filter((outcome) => "utterance" in outcome);
    failed = outcomes.find((outcome) => "error" in outcome);
    const vectors = await model.embed(prepared.map(({ utterance }) => utterance.input));
    for (const [i, { idx, utterance }] of prepared.entries()) {
      ready.set(idx, { record: await recordOf(idx, utterance, env), vector: vectors[i]! });
    }
  } finally {
    for (const buffer of buffers) buffer.returnBuffer();
  }
  // The worker tries the halves of the batch next, until the failing utterance is alone.
  if (failed !== undefined) throw failed.error;
  return indices.map((idx) => {
    const result = ready.get(idx)!;
    ready.delete(idx);
    return result;
  });
}

type Outcome =
  | { readonly idx: number; readonly utterance: PreparedUtterance }
  | { readonly idx: number; readonly error: unknown };

// Files are read while features are computed.
const readAhead = 3;

/** Prepares the utterances of a batch; a failure does not affect the others. */
async function prepareAll(
  indices: readonly number[],
  env: XVectorEnv,
  buffers: readonly BorrowedBuffer[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const prepareSome = async () => {
    while (next < indices.length) {
      const at = next++;
      const idx = indices[at]!;
      outcomes[at] = await prepare(idx, env, buffers[at]!).then(
        (utterance) => ({ idx, utterance }),
        (error: unknown) => ({ idx, error }),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(readAhead, indices.length) }, prepareSome));
  return outcomes;
}

async function prepare(idx: number, env: XVectorEnv, buffer: BorrowedBuffer): Promise<PreparedUtterance> {
  const { path, line, id, row } = await env.utterances.at(idx);
  try {
    return await prepareUtterance(row ?? path, env.frontEnd, env, buffer);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    throw new MillraceError(error.code, `${env.utterances.path}:${line}: ${id}: ${error.reason}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

async function recordOf(
  idx: number,
  { seconds, clipped, warnings }: PreparedUtterance,
  env: XVectorEnv,
): Promise<XVectorRecord> {
  const { id, speaker } = await env.utterances.at(idx);
  return {
    utt_id: id,
    speaker_id: speaker,
    seconds: Number(seconds.toFixed(4)),
    ...(clipped > 0 ? { clipped: Number(clipped.toPrecision(4)) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
