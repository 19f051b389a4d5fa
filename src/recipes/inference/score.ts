import { join } from "node:path";
import { MillraceError } from "../../index.ts";
import { putFile } from "../put-file.ts";
import { type Alignment, alignTokens } from "./align-tokens.ts";
import { formatScore, scoreTsv } from "./format-score.ts";
import { normaliseText, type TextNormalisation } from "./normalise-text.ts";
import { type PairOptions, pairTexts, type ScoreSource } from "./pair-texts.ts";
import type { ErrorCounts, Score, UtteranceScore } from "./score-result.ts";

/** Options of {@link score}. */
export interface ScoreOptions extends PairOptions, TextNormalisation {
  /** Number of worst utterances to return. Default 20. */
  readonly worst?: number;
  /** Whether spaces count as characters, as in ESPnet. Default `true`. */
  readonly countSpaces?: boolean;
  /**
   * A folder for `score.txt` (a readable table) and `score.tsv` (the worst utterances). Default: nothing is written.
   */
  readonly outputDir?: string;
}

/**
 * Word and character error rates of hypotheses, from the folder of an inference run, two scp files or texts in memory.
 * Texts are compared unchanged; case, punctuation and the like are ignored only if the options say so.
 */
export function score(source: ScoreSource, options: ScoreOptions = {}): Score {
  const { worst: max = 20, countSpaces = true, outputDir } = options;
  if (!Number.isSafeInteger(max) || max < 0) {
    throw new MillraceError("BAD_OPTION", `worst is ${max}; a whole number from 0 was expected.`, {
      hint: "It says how many of the worst utterances are kept; leave it out for 20.",
    });
  }
  const totals = { words: new Totals(), characters: new Totals() };
  let [utterances, wrongUtterances] = [0, 0];
  let worst: UtteranceScore[] = [];
  for (const { id, ...texts } of pairTexts(source, options)) {
    const [ref, hyp] = [normaliseText(texts.ref, options), normaliseText(texts.hyp, options)];
    const words = totals.words.add(alignTokens(wordsOf(ref), wordsOf(hyp)));
    const characters = totals.characters.add(
      alignTokens(charactersOf(ref, countSpaces), charactersOf(hyp, countSpaces)),
    );
    utterances++;
    if (words.errors === 0) continue;
    wrongUtterances++;
    worst.push({ id, words, characters, hyp, ref });
    // Sorted from time to time, so that only some of them are in memory.
    if (worst.length >= 4 * max + 1000) worst = worstOf(worst, max);
  }
  const result: Score = {
    utterances,
    wrongUtterances,
    words: totals.words.counts(),
    characters: totals.characters.counts(),
    worst: worstOf(worst, max),
  };
  if (outputDir !== undefined) writeScore(result, outputDir);
  return result;
}

function worstOf(all: readonly UtteranceScore[], max: number): UtteranceScore[] {
  const byErrors = (a: UtteranceScore, b: UtteranceScore) =>
    b.words.errors - a.words.errors || b.characters.errors - a.characters.errors || (a.id < b.id ? -1 : 1);
  return [...all].sort(byErrors).slice(0, max);
}

function wordsOf(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}

function charactersOf(text: string, countSpaces: boolean): string[] {
  return Array.from(countSpaces ? text : text.replaceAll(" ", ""));
}

class Totals {
  private readonly sum = { correct: 0, substituted: 0, deleted: 0, inserted: 0, length: 0 };

  add(alignment: Alignment): ErrorCounts {
    for (const key of Object.keys(this.sum) as (keyof Alignment)[]) this.sum[key] += alignment[key];
    return withRate(alignment);
  }

  counts(): ErrorCounts {
    return withRate(this.sum);
  }
}

function withRate(alignment: Alignment): ErrorCounts {
  const { substituted, deleted, inserted, length } = alignment;
  const errors = substituted + deleted + inserted;
  return { ...alignment, errors, rate: errors === 0 ? 0 : errors / length };
}

function writeScore(result: Score, folder: string): void {
  putFile(join(folder, "score.txt"), formatScore(result));
  putFile(join(folder, "score.tsv"), scoreTsv(result));
}
