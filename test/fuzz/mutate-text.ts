// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are among the odd texts
import { splice } from "./mutate-bytes.ts";
import type { Random } from "./random.ts";
import type { Mutator } from "./reader.ts";

const oddTexts = [
  "",
  "0",
  "-1",
  "-0",
  "1e309",
  "1e-400",
  "NaN",
  "Infinity",
  "nan",
  "inf",
  "2147483648",
  "4294967295",
  "9007199254740993",
  "18446744073709551616",
  "9".repeat(400),
  "00012",
  "0x1f",
  "1_000",
  "null",
  "true",
  "~",
  "undefined",
  "__proto__",
  "constructor",
  "toString",
  "../../../etc/passwd",
  "/etc/passwd",
  "..",
  ".",
  "a/../b",
  "C:\\x",
  "-oProxyCommand=x",
  "a\0b",
  "\ufeff",
  "\ud800",
  "é",
  "\u2028",
  " ",
  "\t",
  "\n",
  "\r\n",
  "[",
  "]",
  "{",
  "}",
  ":",
  ",",
  '"',
  "'",
  "\\",
  "\\u0000",
  "$",
  "#",
  "|",
  "&a",
  "*a",
  "<<",
  "---",
  "!!js/function",
  "???",
];

const brackets = ["[", "{", "(", '{"a":', "[[", "- ", "${", "!", "<", "a:\n "];

const words = /[\p{L}\p{N}_.+-]+|[^\s\p{L}\p{N}_]/gu;

/** Text in latin1, so that a byte is a character, and damaged UTF-8 stays as it is. */
const textOf = (bytes: Buffer): string => bytes.toString("latin1");
const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

function pickWord(bytes: Buffer, random: Random): { readonly at: number; readonly word: string } | undefined {
  const start = random.below(bytes.length);
  words.lastIndex = 0;
  // A window is enough, and long files stay quick.
  const found = [...textOf(bytes.subarray(start, start + 256)).matchAll(words)];
  const match = found.length === 0 ? undefined : random.pick(found.slice(0, 8));
  return match && { at: start + match.index, word: match[0] };
}

function replaceWord(bytes: Buffer, random: Random): Buffer {
  const found = pickWord(bytes, random);
  if (found === undefined) return bytes;
  return splice(bytes, found.at, found.word.length, bytesOf(utf8(random.pick(oddTexts))));
}

function insertText(bytes: Buffer, random: Random): Buffer {
  return splice(bytes, random.below(bytes.length), 0, bytesOf(utf8(random.pick(oddTexts))));
}

function copyWord(bytes: Buffer, random: Random): Buffer {
  const [from, to] = [pickWord(bytes, random), pickWord(bytes, random)];
  if (from === undefined || to === undefined) return bytes;
  return splice(bytes, to.at, random.chance(0.5) ? to.word.length : 0, bytesOf(from.word));
}

function nest(bytes: Buffer, random: Random): Buffer {
  const times = random.pick([2, 8, 100, 1000, 20_000]);
  return splice(bytes, random.below(bytes.length), 0, bytesOf(random.pick(brackets).repeat(times)));
}

function longWord(bytes: Buffer, random: Random): Buffer {
  const put = random.pick(["a", "9", " ", "\\", "../", "é", "a.", "${a}"]).repeat(random.pick([100, 5000, 100_000]));
  return splice(bytes, random.below(bytes.length), 0, Buffer.from(put));
}

function moveLine(bytes: Buffer, random: Random): Buffer {
  const lines = textOf(bytes).split("\n");
  const [from, to] = [random.below(lines.length), random.below(lines.length)];
  const line = lines[from]!;
  if (random.chance(0.5)) lines.splice(from, 1);
  if (random.chance(0.7)) lines.splice(to, 0, random.chance(0.5) ? line : ` ${line}`);
  return bytesOf(lines.join("\n"));
}

/** What can be done to any text, besides what can be done to bytes. */
export const textMutators: readonly Mutator[] = [
  replaceWord,
  replaceWord,
  insertText,
  copyWord,
  nest,
  longWord,
  moveLine,
  moveLine,
];
