import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { mergeScp, parseScp, type ScpEntry } from "../../../formats.ts";
import { concatenateShardFiles, MillraceError, readFailures, readRecords } from "../../../index.ts";
import { compareBytes } from "../compare-bytes.ts";
import type { DroppedRecord, KeptRecord } from "../prep-result.ts";
import type { Utterance } from "../utterance.ts";
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
export function collectCorpus(
  shardDirs: readonly string[],
  runDir: string,
  {
    hasFeatures,
    hasAudio,
    utterances,
  }: { hasFeatures: boolean; hasAudio: boolean; utterances: () => readonly Utterance[] },
): CollectedCorpus {
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
  const rows = failures.length === 0 ? [] : utterances();
  const failed = failures.map(({ item, error }): DroppedRecord => {
    const { sourceId, path, text } = rows[item]!;
    const [message] = error.message.split("\n  -> ") as [string];
    return { utt_id: sourceId, rule: failedRule, detail: message, source: path, text };
  });
  return {
    entries: entries.sort((a, b) => compareBytes(a.utt_id, b.utt_id)),
    dropped: [...dropped, ...failed],
    failed: failed.length,
  };
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
