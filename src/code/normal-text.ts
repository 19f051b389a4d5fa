import { lineEnd, regexEnd, stringEnd, templateChunk } from "./read-ahead.ts";
import { slashAfter } from "./slash-after.ts";

// Everything between two of these is copied in one step: a file is not read character by character.
const stops = /["'`/]/g;
// The same where braces are counted: in template values, and in files with a main-module block.
const stopsAndBraces = /["'`/{}]|\bif\b/g;
const mainBlock = /if\s*\(\s*isMainModule\s*\(\s*import\s*\.\s*meta\s*(?:\.\s*url\s*)?,?\s*\)\s*\)\s*\{/y;
const mainImport = /(?:^|[\n;])import\s*\{([^}]*)\}\s*from\s*["']millrace["']/;

// Placeholders for spaces of a literal while other spaces are removed, and for a removed block. No source contains
// these characters.
const [keptSpace, keptBreak, cutMark] = ["\ue001", "\ue002", "\ue003"];
const reserved = /[\ue001-\ue003]/;

/**
 * Normalises the text of a JavaScript or TypeScript module (without JSX) so that comments, blank lines, indentation and
 * repeated spaces do not count. Two modules that behave differently always have different texts; line breaks stay,
 * because semicolons may be omitted. The block after `if (isMainModule(import.meta.url))` is removed: no worker runs
 * it.
 *
 * Undefined if a slash cannot be classified with certainty or a token does not end: the caller then compares the bytes.
 */
export function normalText(source: string): string | undefined {
  const cutsMain = source.includes("isMainModule");
  const text = scan(source, cutsMain);
  if (!cutsMain || text === undefined || importsIsMainModule(text)) return text;
  // The user may have a function with this name that returns true in a worker.
  return scan(source, false);
}

function importsIsMainModule(text: string): boolean {
  const names = mainImport.exec(text)?.[1]?.split(",") ?? [];
  return names.some((name) => name.trim() === "isMainModule");
}

/** The text read so far without its comments. `from` is the start of the part that is not copied yet. */
interface Copy {
  readonly source: string;
  readonly parts: string[];
  from: number;
}

interface Brace {
  /** `main` is the block that only the starting process runs; `at` is the number of parts before it. */
  readonly kind: "block" | "template" | "main";
  readonly at: number;
}

function scan(source: string, cutsMain: boolean): string | undefined {
  // In CommonJS scripts, `<!--` and `-->` begin comments.
  if (source.includes("<!--") || source.includes("-->") || reserved.test(source)) return undefined;
  const copy: Copy = { source, parts: [], from: source.startsWith("#!") ? lineEnd(source, 0) : 0 };
  const braces: Brace[] = [];
  let at = copy.from;
  let regexAt = -1;
  for (;;) {
    const pattern = cutsMain || braces.length > 0 ? stopsAndBraces : stops;
    pattern.lastIndex = at;
    if (!pattern.test(source)) break;
    at = pattern.lastIndex - 1;
    const stop = source[at];
    let next: number | undefined = at + 1;
    if (stop === "/") {
      const comment = commentEnd(source, at);
      if (comment !== undefined) skipComment(copy, at, comment);
      else regexAt = slashEnd(copy, at, regexAt);
      next = comment ?? (regexAt < 0 ? undefined : regexAt);
      if (comment === undefined && next !== undefined) keepSpaces(copy, at, next);
    } else if (stop === '"' || stop === "'") {
      next = stringEnd(source, at);
      if (next !== undefined) keepSpaces(copy, at, next);
    } else if (stop === "`" || (stop === "}" && braces.at(-1)?.kind === "template")) {
      const chunk = templateChunk(source, next);
      if (stop === "}") braces.pop();
      if (chunk?.isOpen) braces.push({ kind: "template", at: 0 });
      next = chunk?.end;
      if (next !== undefined) keepSpaces(copy, at, next);
    } else if (stop === "{") braces.push({ kind: "block", at: 0 });
    else if (stop === "}") {
      const brace = braces.pop();
      if (brace === undefined) return undefined;
      if (brace.kind === "main") cut(copy, brace.at, next);
    } else if (cutsMain && braces.length === 0 && isMainBlock(source, at - 1)) {
      copyUpTo(copy, at - 1);
      next = mainBlock.lastIndex;
      copy.from = next;
      braces.push({ kind: "main", at: copy.parts.length });
    }
    if (next === undefined) return undefined;
    at = next;
  }
  if (braces.length > 0) return undefined;
  copyUpTo(copy, source.length);
  return withoutSpaces(copy.parts.join(""));
}

/** True if the `if` here tests for the main module and is not a member name. */
function isMainBlock(source: string, at: number): boolean {
  mainBlock.lastIndex = at;
  return mainBlock.test(source) && !/[.#]\s*$/.test(source.slice(Math.max(0, at - 20), at));
}

/** Where the comment that begins here ends. Undefined if no comment begins here or it does not end. */
function commentEnd(source: string, at: number): number | undefined {
  if (source.startsWith("//", at)) return lineEnd(source, at);
  const end = source.startsWith("/*", at) ? source.indexOf("*/", at + 2) : -1;
  return end < 0 ? undefined : end + 2;
}

// How many characters before a slash are inspected to classify the slash.
const lookBack = 400;

/**
 * Where the regular expression or division that begins here ends. Negative if that is not certain. `regexAt` is where
 * the last regular expression ended.
 */
function slashEnd({ source, parts, from }: Copy, at: number, regexAt: number): number {
  // An unterminated comment.
  if (source.startsWith("/*", at)) return -1;
  const piece = source.slice(Math.max(from, at - lookBack), at).trimEnd();
  const isCut = piece === "" && at - from > lookBack;
  const before = piece === "" ? (parts.findLast((part) => part.trim() !== "") ?? "").trimEnd() : piece;
  const isAfterRegex = regexAt > 0 && source.slice(regexAt, at).trim() === "";
  const slash = isCut ? "unknown" : slashAfter(before, isAfterRegex);
  if (slash === "division") return at + 1;
  const end = regexEnd(source, at);
  if (end === undefined) return slash === "regex" ? -1 : at + 1;
  // The same characters read as a division must give the same tokens, or the slash is ambiguous.
  return slash === "unknown" && isDifferentAsDivision(source.slice(at, end), source[end] ?? "") ? -1 : end;
}

function isDifferentAsDivision(text: string, next: string): boolean {
  return /["'`{}()\s]|\/[/*]/.test(text) || next === "/" || next === "*";
}

function copyUpTo(copy: Copy, to: number): void {
  if (to > copy.from) copy.parts.push(copy.source.slice(copy.from, to));
  copy.from = to;
}

/** A comment counts as a space between tokens, or as a line break if it contains one. */
function skipComment(copy: Copy, at: number, end: number): void {
  copyUpTo(copy, at);
  copy.parts.push(lineEnd(copy.source, at) < end ? "\n" : " ");
  copy.from = end;
}

/** Keeps every space of a literal. */
function keepSpaces(copy: Copy, at: number, end: number): void {
  const literal = copy.source.slice(at, end);
  if (!/ \s|[^\S ]/.test(literal)) return;
  copyUpTo(copy, at);
  // Each rare kind of space gets its own placeholder.
  const kept = literal.replace(/\s/g, (space) =>
    space === " " ? keptSpace : space === "\n" ? keptBreak : `${keptSpace}${space.charCodeAt(0)}${keptBreak}`,
  );
  copy.parts.push(kept);
  copy.from = end;
}

/** Removes a block and leaves a placeholder: without one, the lines around it could become one statement. */
function cut(copy: Copy, parts: number, end: number): void {
  copy.parts.length = parts;
  copy.parts.push(cutMark);
  copy.from = end;
}

const otherBreaks = /[\r\u2028\u2029]/;

function withoutSpaces(text: string): string {
  const lines = otherBreaks.test(text) ? text.replace(/\r\n?|[\u2028\u2029]/g, "\n") : text;
  const single = lines
    .replace(/\n\s+/g, "\n")
    .replace(/[^\S\n]+\n/g, "\n")
    .replace(/[^\S\n]{2,}|[^\S\n ]/g, " ")
    .trim();
  if (!reserved.test(single)) return single;
  // A removed block at the end leaves no placeholder.
  return single.replace(/\s*\ue003\s*$/, "").replace(/\s*\ue003\s*/g, "\n;\n");
}
