import { statSync } from "node:fs";
import { type Awaitable, BaseRunner, jsonlWriter, MillraceError, type Writer, type Writers } from "../../index.ts";
import { publishSplit } from "./outputs/publish-split.ts";
import { recordsName } from "./outputs/read-shard.ts";
import { vectorWriter } from "./outputs/vector-writer.ts";
import { writeWhole } from "./outputs/write-whole.ts";
import { type PreparedUtterance, prepareUtterance } from "./prepare-utterance.ts";
import { recipesUrl } from "./recipes-url.ts";
import { type Room, takeRoom } from "./room.ts";
import type { XVectorEnv, XVectorProvider } from "./xvector-provider.ts";
import type { XVectorRecord, XVectorResult } from "./xvector-result.ts";
import type { XVectorSummary } from "./xvector-summary.ts";

/** One vector for each utterance of a manifest. Items are its rows. */
export class XVectorRunner extends BaseRunner<XVectorEnv, XVectorResult, XVectorSummary> {
  static readonly module: string = recipesUrl;

  /** With `batchSize` an array of rows, whose failing ones are found without computing the others again. */
  static async forward(idx: number | readonly number[], env: XVectorEnv): Promise<XVectorResult | XVectorResult[]> {
    if (typeof idx === "number") return (await embed([idx], env))[0]!;
    return embed(idx, env);
  }

  /** Seconds, as far as the size of the file tells: batches need no more. */
  static itemCost(idx: number, { utterances }: XVectorEnv): number {
    const { path } = utterances.at(idx);
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return size / (/\.(?:mp3|ogg|opus|oga|m4a|webm)$/i.test(path) ? 4_000 : 32_000);
  }

  static override openWriters(shardDir: string): Writers {
    return { records: jsonlWriter<XVectorRecord>(shardDir, recordsName), vectors: vectorWriter(shardDir) };
  }

  static override writeRecord(
    writers: Writers,
    { record, vector }: XVectorResult,
    _state: object,
    { format, places }: XVectorEnv,
  ): void {
    if (format.kind === "each") writeWhole(places.utterance(record.utt_id), format.encode(vector), places);
    (writers["vectors"] as Writer<Float32Array>).write(vector);
    (writers["records"] as Writer<XVectorRecord>).write(record);
  }

  override merge(shardDirs: string[]): Awaitable<XVectorSummary> {
    const { config, params } = this.provider as XVectorProvider;
    return publishSplit({ shardDirs, runDir: this.runDir, config, params });
  }
}

async function embed(indices: readonly number[], env: XVectorEnv): Promise<XVectorResult[]> {
  const { ready, model } = env;
  const open = indices.filter((idx) => !ready.has(idx));
  const rooms = open.map(takeRoom);
  let failed: Outcome | undefined;
  try {
    const outcomes = await prepareAll(open, env, rooms);
    const prepared = outcomes.filter((outcome) => "utterance" in outcome);
    failed = outcomes.find((outcome) => "error" in outcome);
    const vectors = await model.embed(prepared.map(({ utterance }) => utterance.input));
    for (const [i, { idx, utterance }] of prepared.entries()) {
      ready.set(idx, { record: recordOf(idx, utterance, env), vector: vectors[i]! });
    }
  } finally {
    for (const room of rooms) room.giveBack();
  }
  // The worker tries the halves of the batch next, until the failing utterance stands alone.
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

/** Prepares the utterances of a batch; what fails does not keep the others from being ready. */
async function prepareAll(indices: readonly number[], env: XVectorEnv, rooms: readonly Room[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  const prepareSome = async () => {
    while (next < indices.length) {
      const at = next++;
      const idx = indices[at]!;
      outcomes[at] = await prepare(idx, env, rooms[at]!).then(
        (utterance) => ({ idx, utterance }),
        (error: unknown) => ({ idx, error }),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(readAhead, indices.length) }, prepareSome));
  return outcomes;
}

async function prepare(idx: number, env: XVectorEnv, room: Room): Promise<PreparedUtterance> {
  const { path, line, id } = env.utterances.at(idx);
  try {
    return await prepareUtterance(path, env.frontEnd, env, room);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    throw new MillraceError(error.code, `${env.utterances.path}:${line}: ${id}: ${error.reason}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

function recordOf(idx: number, { seconds, clipped, warnings }: PreparedUtterance, env: XVectorEnv): XVectorRecord {
  const { id, speaker } = env.utterances.at(idx);
  return {
    utt_id: id,
    speaker_id: speaker,
    seconds: Number(seconds.toFixed(4)),
    ...(clipped > 0 ? { clipped: Number(clipped.toPrecision(4)) } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
