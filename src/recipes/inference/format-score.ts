import { formatOutputLine } from "./output-line.ts";
import type { ErrorCounts, Score } from "./score-result.ts";

const heading = ["", "tokens", "correct", "sub", "del", "ins", "errors", "rate"];

/** A score as a readable table: the rates and counts, then the worst utterances, hypothesis below reference. */
export function formatScore({ utterances, wrongUtterances, words, characters, worst }: Score): string {
  const rows = [heading, rowOf("words", words), rowOf("characters", characters)];
  const widths = heading.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const table = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "),
  );
  const share = utterances === 0 ? "" : ` (${percent(wrongUtterances / utterances)})`;
  const lines = [`${utterances} utterances, ${wrongUtterances} with errors${share}`, "", ...table];
  for (const [i, { id, words: wordCounts, characters: letters, ref, hyp }] of worst.entries()) {
    if (i === 0) lines.push("", `The ${worst.length} utterances with the most wrong words:`);
    lines.push(
      "",
      `${id}  ${wordCounts.errors} of ${wordCounts.length} words (${wordCounts.substituted} sub, ${wordCounts.deleted} del, ${wordCounts.inserted} ins; ${percent(wordCounts.rate)}), characters ${percent(letters.rate)}`,
      `  ref: ${shown(ref)}`,
      `  hyp: ${shown(hyp)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}

function rowOf(name: string, { length, correct, substituted, deleted, inserted, errors, rate }: ErrorCounts): string[] {
  return [name, ...[length, correct, substituted, deleted, inserted, errors].map(String), percent(rate)];
}

function percent(rate: number): string {
  return Number.isFinite(rate) ? `${(rate * 100).toFixed(2)} %` : "∞";
}

const columns = ["id", "words", "correct", "sub", "del", "ins", "wer", "cer", "ref", "hyp"];

/** The worst utterances as tab-separated values, with a header; tabs in texts become spaces. */
export function scoreTsv({ worst }: Score): string {
  const rows = worst.map(({ id, words, characters, ref, hyp }) => [
    id,
    ...[words.length, words.correct, words.substituted, words.deleted, words.inserted].map(String),
    words.rate.toFixed(4),
    characters.rate.toFixed(4),
    shown(ref),
    shown(hyp),
  ]);
  return [columns, ...rows].map((row) => `${row.join("\t")}\n`).join("");
}

/** One line, whatever the text contains: it must neither control a terminal nor break a table. */
function shown(text: string): string {
  return formatOutputLine({ id: "", value: text.replaceAll("\t", " ") }).slice(1);
}
