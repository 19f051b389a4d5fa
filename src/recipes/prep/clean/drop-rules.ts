import type { Limits } from "../sections/drop-section.ts";

/** The properties of an utterance before its audio is read. */
export interface MeasuredText {
  /** The normalised text. */
  readonly text: string;
  /** The allowed characters; undefined for anything but control characters. */
  readonly allowed: RegExp | undefined;
}

/** The properties after its audio is read. */
export interface MeasuredAudio {
  readonly text: string;
  /** Of the file. */
  readonly rawSeconds: number;
  /** Of the kept part; 0 if no speech was found. */
  readonly seconds: number;
  /** Of the kept part. */
  readonly levelDb: number;
  /** The fraction of the file's samples at full scale. */
  readonly clipped: number;
}

/** A rule that drops an utterance. `breaks` returns what is wrong, or undefined. */
export interface DropRule<Measured> {
  readonly name: string;
  readonly breaks: (measured: Measured, limits: Limits) => string | undefined;
}

/** In the order in which they are checked; the first broken rule counts. They need no audio, so they come first. */
export const textRules: readonly DropRule<MeasuredText>[] = [
  {
    name: "empty_text",
    breaks: ({ text }, { empty_text }) => when(empty_text && text === "", "nothing is left of it"),
  },
  { name: "bad_characters", breaks: ({ text, allowed }) => badCharacters(text, allowed) },
  { name: "reserved_symbol", breaks: ({ text }) => reservedSymbol(text) },
  {
    name: "too_few_characters",
    breaks: ({ text }, { min_characters }) => when(text !== "" && count(text) < min_characters, `${count(text)}`),
  },
  {
    name: "too_many_characters",
    breaks: ({ text }, { max_characters }) => when(count(text) > max_characters, `${count(text)}`),
  },
];

/** The same for rules that need the audio. */
export const audioRules: readonly DropRule<MeasuredAudio>[] = [
  {
    name: "too_short",
    breaks: (measured, { min_seconds }) => when(lengthOf(measured) < min_seconds, `${round(lengthOf(measured))} s`),
  },
  { name: "no_speech", breaks: ({ seconds }) => when(seconds === 0, "no frame is loud enough") },
  {
    name: "too_long",
    breaks: ({ seconds }, { max_seconds }) => when(seconds > max_seconds, `${round(seconds)} s`),
  },
  { name: "too_quiet", breaks: ({ levelDb }, { min_db }) => when(!(levelDb >= min_db), `${round(levelDb)} dB`) },
  {
    name: "clipped",
    breaks: ({ clipped }, { max_clipped }) => when(clipped > max_clipped, `${round(100 * clipped)} % of the samples`),
  },
  {
    name: "too_slow",
    breaks: (measured, { min_characters_per_second }) =>
      when(measured.text !== "" && rateOf(measured) < min_characters_per_second, showRate(measured)),
  },
  {
    name: "too_fast",
    breaks: (measured, { max_characters_per_second }) =>
      when(rateOf(measured) > max_characters_per_second, showRate(measured)),
  },
];

/** A broken rule and what broke it. */
export interface BrokenRule {
  readonly rule: string;
  readonly detail: string;
}

/** The first rule that is broken, if any. */
export function firstBroken<Measured>(
  rules: readonly DropRule<Measured>[],
  measured: Measured,
  limits: Limits,
): BrokenRule | undefined {
  for (const { name, breaks } of rules) {
    const detail = breaks(measured, limits);
    if (detail !== undefined) return { rule: name, detail };
  }
  return undefined;
}

// Characters that no text has on purpose: control characters, unpaired surrogates, private ones, and those of a wrong
// decoding.
const never = /[\p{Cc}\p{Cs}\p{Co}\uFFFD]/u;

function badCharacters(text: string, allowed: RegExp | undefined): string | undefined {
  const bad = new Set([...text].filter((character) => never.test(character) || allowed?.test(character) === false));
  if (bad.size === 0) return undefined;
  return [...bad].slice(0, 10).map(showCharacter).join(" ");
}

/** Kaldi's sentence boundaries and its disambiguation symbol, as separate words. */
function reservedSymbol(text: string): string | undefined {
  return /(?<!\w)(?:<s>|<\/s>|#0)(?!\w)/.exec(text)?.[0];
}

function showCharacter(character: string): string {
  const isPlain = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
  return isPlain ? character : `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

function count(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  return characters;
}

/** If no speech was found, the length of the file counts: ten milliseconds are too short, whatever they contain. */
function lengthOf({ seconds, rawSeconds }: MeasuredAudio): number {
  return seconds === 0 ? rawSeconds : seconds;
}

function rateOf({ text, seconds }: MeasuredAudio): number {
  return count(text) / seconds;
}

function showRate(measured: MeasuredAudio): string {
  return `${round(rateOf(measured))} characters a second`;
}

function when(isBroken: boolean, detail: string): string | undefined {
  return isBroken ? detail : undefined;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
