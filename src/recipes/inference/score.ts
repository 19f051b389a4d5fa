import { join } from "node:path";
import { MillraceError } from "../../index.ts";
import { putFile } from "../put-file.ts";
import { type Alignment, alignTokens } from "./align-tokens.ts";
import { formatScore, scoreTsv } from "./format-score.ts";
import { normaliseText, type TextNormalisation } from "./normalise-text.ts";
import { type PairOptions, pairTexts, type ScoreSource } from "./pair-texts.ts";
import type { ErrorCounts, Score, UtteranceScore } from "./score-result.ts";

/** Which texts are compared, how they are normalised first, what is counted, and where it is written. */
export interface ScoreOptions extends PairOptions, TextNormalisation {
  /** How many of the worst utterances are kept. Default 20. */
  readonly worst?: number;
  /** Whether spaces are characters, as in ESPnet. Default `true`. */
  readonly countSpaces?: boolean;
  /** A folder for `score.txt` (a table to read) and `score.tsv` (the worst utterances). Default: nothing is written. */
  readonly outputDir?: string;
}

/**
 * Word and character error rates of hypotheses, from the folder of an inference run, two scp files or texts at hand. Texts
 * are compared as they are; case, punctuation and the like are only ignored where the options say so.
 */
export function score(source: ScoreSource, options: ScoreOptions = {}): Score {
  const { worst: most = 20, countSpaces = true, outputDir } = options;
  if (!Number.isSafeInteger(most) || most < 0) {
    throw new MillraceError("BAD_OPTION", `worst is ${most}; a whole number from 0 was expected.`, {
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
    // Sorted now and then, so that only some of them are ever held.
    if (worst.length >= 4 * most + 1000) worst = worstOf(worst, most);
  }
  const result: Score = {
    utterances,
    wrongUtterances,
    words: totals.words.counts(),
    characters: totals.characters.counts(),
    worst: worstOf(worst, most),
  };
  if (outputDir !== undefined) writeScore(result, outputDir);
  return result;
}

function worstOf(all: readonly UtteranceScore[], most: number): UtteranceScore[] {
  const byBadness = (a: UtteranceScore, b: UtteranceScore) =>
    b.words.errors - a.words.errors || b.characters.errors - a.characters.errors || (a.id < b.id ? -1 : 1);
  return [...all].sort(byBadness).slice(0, most);
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
