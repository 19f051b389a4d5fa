import { audioRules, textRules } from "../clean/drop-rules.ts";
import type { DroppedRecord } from "../prep-result.ts";
import type { PrepStats, RuleCount } from "../prep-summary.ts";
import type { CollectedCorpus } from "./collect-corpus.ts";

const order = ["unreadable", ...textRules.map(({ name }) => name), ...audioRules.map(({ name }) => name), "failed"];

/** Counts the kept utterances, and those dropped by each rule. */
export function countRules({ entries, dropped, failed }: CollectedCorpus): PrepStats {
  const sum = (values: readonly number[]) => Number(values.reduce((total, value) => total + value, 0).toFixed(3));
  return {
    utterances: entries.length + dropped.length,
    kept: entries.length,
    dropped: dropped.length - failed,
    failed,
    speakers: new Set(entries.map(({ speaker_id }) => speaker_id)).size,
    seconds: {
      kept: sum(entries.map(({ seconds }) => seconds)),
      trimmed: sum(entries.map(({ source_seconds, seconds }) => source_seconds - seconds)),
      dropped: sum(dropped.map(({ source_seconds = 0 }) => source_seconds)),
    },
    rules: byRule(dropped).map(([rule, records]) => ({
      rule,
      utterances: records.length,
      seconds: sum(records.map(({ source_seconds = 0 }) => source_seconds)),
    })),
  };
}

function byRule(dropped: readonly DroppedRecord[]): [rule: string, records: DroppedRecord[]][] {
  const found = new Map<string, DroppedRecord[]>();
  for (const record of dropped) {
    const known = found.get(record.rule);
    if (known === undefined) found.set(record.rule, [record]);
    else known.push(record);
  }
  // A custom cleaner may have other rules: they come last.
  const rank = (rule: string) => (order.indexOf(rule) + order.length + 1) % (order.length + 1);
  return [...found].sort(([a], [b]) => rank(a) - rank(b));
}

/** The counts as a readable table. */
export function formatDropTable({ utterances, kept, rules, seconds, speakers }: PrepStats): string {
  const rows: RuleCount[] = [
    { rule: `kept (${speakers} speaker${speakers === 1 ? "" : "s"})`, utterances: kept, seconds: seconds.kept },
    ...rules,
  ];
  const width = Math.max(...rows.map(({ rule }) => rule.length), "rule".length);
  const share = (count: number) => `${((100 * count) / Math.max(1, utterances)).toFixed(1)} %`;
  const line = (a: string, b: string, c: string, d: string) =>
    `${a.padEnd(width)}  ${b.padStart(10)}  ${c.padStart(7)}  ${d.padStart(10)}`;
  return [
    line("rule", "utterances", "share", "audio"),
    ...rows.map(({ rule, utterances: count, seconds: length }) =>
      line(rule, String(count), share(count), `${length.toFixed(1)} s`),
    ),
  ].join("\n");
}
