import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDataset } from "../../../datasets.ts";
import { mergeScp, parseScp, type ScpEntry } from "../../../formats.ts";
import { type Awaitable, concatenateShardFiles, MillraceError, readFailures, readRecords } from "../../../index.ts";
import { compareBytes } from "../compare-bytes.ts";
import type { DroppedRecord, KeptRecord } from "../prep-result.ts";
import type { Utterances } from "../utterance.ts";
import type { CorpusEntry } from "./corpus.ts";
import { shardFiles } from "./shard-files.ts";

/** Everything that the shards of a run contain. */
export interface CollectedCorpus {
  /** Sorted by the bytes of their ids, as Kaldi requires. */
  readonly entries: readonly CorpusEntry[];
  /** In the order of the manifest, then the failed ones. */
  readonly dropped: readonly DroppedRecord[];
  readonly failed: number;
}

/** The rule name of failed utterances. */
const failedRule = "failed";

/** Combines the shards' lists; each is compared with its committed digest. */
export async function collectCorpus(
  shardDirs: readonly string[],
  runDir: string,
  {
    hasFeatures,
    hasAudio,
    utterances,
  }: { hasFeatures: boolean; hasAudio: boolean; utterances: () => Awaitable<Utterances> },
): Promise<CollectedCorpus> {
  const place = (name: string) => join(runDir, name);
  concatenateShardFiles(shardDirs, shardFiles.kept, place(shardFiles.kept));
  concatenateShardFiles(shardDirs, shardFiles.dropped, place(shardFiles.dropped));
  const feats = hasFeatures ? listOf(shardDirs, runDir, shardFiles.feats) : undefined;
  const wavs = hasAudio ? listOf(shardDirs, runDir, shardFiles.wav) : undefined;
  const entries = [...readRecords<KeptRecord>(place(shardFiles.kept))].map(
    (record): CorpusEntry => ({
      ...record,
      audio: wavs === undefined ? record.source : entryOf(wavs, record).path,
      isWritten: wavs !== undefined,
      feats: feats === undefined ? undefined : entryOf(feats, record),
    }),
  );
  const dropped = [...readRecords<DroppedRecord>(place(shardFiles.dropped))];
  // `dropped.tsv` has the same lines and the failed ones.
  rmSync(place(shardFiles.dropped), { force: true });
  const failures = [...readFailures(runDir)];
  const failed = failures.length === 0 ? [] : await describeFailures(failures, await utterances());
  return {
    entries: entries.sort((a, b) => compareBytes(a.utt_id, b.utt_id)),
    dropped: [...dropped, ...failed],
    failed: failed.length,
  };
}

async function describeFailures(
  failures: readonly { readonly item: number; readonly error: { readonly message: string } }[],
  rows: Utterances,
): Promise<DroppedRecord[]> {
  const failed: DroppedRecord[] = [];
  try {
    for (const { item, error } of failures) {
      const { sourceId, path, text } = (await rows.at(item))!;
      const [message] = error.message.split("\n  -> ") as [string];
      failed.push({ utt_id: sourceId, rule: failedRule, detail: message, source: path, text });
    }
  } finally {
    if (isDataset(rows)) await rows.close();
  }
  return failed;
}

/** One list of all shards, by id and with absolute paths. */
function listOf(shardDirs: readonly string[], runDir: string, name: string): Map<string, ScpEntry> {
  const path = join(runDir, `${name}.scp`);
  mergeScp(shardDirs, name, { target: path });
  return new Map(
    parseScp(readFileSync(path)).map((entry) => [entry.key, { ...entry, path: resolve(runDir, entry.path) }]),
  );
}

function entryOf(list: ReadonlyMap<string, ScpEntry>, { utt_id }: KeptRecord): ScpEntry {
  const entry = list.get(utt_id);
  if (entry !== undefined) return entry;
  throw new MillraceError("SHARD_DAMAGED", `${utt_id} is kept, but no shard lists its files.`, {
    hint: "Start over with resume: false.",
  });
}
