import {
  classOf,
  digit,
  lineEnd,
  newline,
  regexEnd,
  runEnd,
  space,
  spaces,
  stringEnd,
  templateChunk,
  word,
  words,
} from "./read-ahead.ts";

/** What may follow: whether a slash begins a regular expression, divides, or cannot be told without a parser. */
type Slash = "regex" | "division" | "unknown" | "by the word before";

interface Brace {
  /** `main` is the block that only the starting process runs; `from` is where its text begins. */
  readonly kind: "block" | "template" | "main";
  readonly from: number;
}

const beforeRegex = /^(?:return|typeof|case|in|delete|void|throw|new|instanceof|do|else|default)$/;
// These are also names, or can stand in front of either.
const beforeEither = /^(?:of|yield|await|extends)$/;
const mainBlock = /if\s*\(\s*isMainModule\s*\(\s*import\s*\.\s*meta\s*\.\s*url\s*,?\s*\)\s*\)\s*\{/y;
const mainImport = /(?:^|[\n;])import\{([^}]*)\}from["']millrace["']/;
const separators = "()[]{},;";

/**
 * The text of a JavaScript or TypeScript module (without JSX) in which comments, blank lines and spaces between tokens no
 * longer count. Two modules that do different things have different texts: line breaks between tokens stay, because
 * semicolons may be left out. The block behind `if (isMainModule(import.meta.url))` is left out: no worker runs it.
 *
 * Undefined where a slash cannot be read with certainty, or the brackets do not match: the bytes count then.
 */
export function normalText(source: string): string | undefined {
  const text = scan(source, source.includes("isMainModule"));
  if (text === undefined || !text.hasCut || importsIsMainModule(text.out)) return text?.out;
  // A function of the user's that has this name may answer yes in a worker.
  return scan(source, false)?.out;
}

function importsIsMainModule(text: string): boolean {
  const names = mainImport.exec(text)?.[1]?.split(",") ?? [];
  return names.some((name) => name.trim() === "isMainModule");
}

function scan(source: string, cutsMain: boolean): { readonly out: string; readonly hasCut: boolean } | undefined {
  // In scripts of the old kind these begin comments.
  if (source.includes("<!--") || source.includes("-->")) return undefined;
  const end = source.length;
  const parens: boolean[] = [];
  const braces: Brace[] = [];
  const parts: string[] = [];
  let at = source.startsWith("#!") ? lineEnd(source, 0) : 0;
  // What was read since the last gap that is not copied as it is, and where that gap began.
  let runFrom = at;
  let gapFrom = at;
  let gap = "";
  let slash: Slash = "regex";
  // The last token: its last character (`a` for words), and the word where it is one.
  let last = "";
  let isNumber = false;
  // Where the last word is, and the one right before it; a name of a member is none.
  let wordFrom = 0;
  let wordTo = 0;
  let beforeFrom = 0;
  let beforeTo = 0;
  let dots = 0;
  let cut: { readonly from: number; readonly to: number } | undefined;

  /** Begins a token that is to be copied; `first` is its first character, `a` for words. */
  const begin = (first: string) => {
    if (gap === "") return;
    const kept = gap === "\n" || needsSpace(last, isNumber, first) ? gap : "";
    if (gapFrom > runFrom) parts.push(source.slice(runFrom, gapFrom));
    if (kept !== "" && parts.length > 0) parts.push(kept);
    runFrom = at;
    gap = "";
  };
  const finish = (character: string, next: Slash) => {
    dots = character === "." ? dots + 1 : 0;
    last = character;
    slash = next;
    isNumber = false;
    beforeFrom = wordFrom;
    beforeTo = wordTo;
    wordFrom = at;
    wordTo = at;
    gapFrom = at;
  };

  const resolved = (): Slash => (slash === "by the word before" ? slashAfter(source.slice(wordFrom, wordTo)) : slash);
  /** Whether the round bracket that begins here is the head of a statement, behind which another one begins. */
  const isHead = (): boolean => {
    const length = wordTo - wordFrom;
    if (length < 2 || length > 5) return false;
    const text = source.slice(wordFrom, wordTo);
    return /^(?:if|while|for|with)$/.test(text === "await" ? source.slice(beforeFrom, beforeTo) : text);
  };

  while (at < end) {
    const code = source.charCodeAt(at);
    const kind = classOf(code);
    if (kind === space || kind === newline) {
      // A regular expression reads a run faster than a loop that is not compiled yet.
      const from = at;
      at = runEnd(spaces, source, at);
      if (kind === newline || (at > from + 1 && lineEnd(source, from) < at)) gap = "\n";
      else if (gap === "") gap = " ";
    } else if (kind === word || kind === digit) {
      const isMember = last === "#" || (last === "." && dots !== 3);
      if (cutsMain && !isMember && parens.length + braces.length === 0 && matchAt(mainBlock, source, at)) {
        if (gapFrom > runFrom) parts.push(source.slice(runFrom, gapFrom));
        braces.push({ kind: "main", from: parts.length });
        at = mainBlock.lastIndex;
        runFrom = at;
        gap = "";
        finish("{", "regex");
        continue;
      }
      begin("a");
      const from = at;
      at = runEnd(words, source, at);
      finish("a", isMember || kind === digit ? "division" : "by the word before");
      isNumber = kind === digit;
      if (!isMember) wordFrom = from;
    } else if (code === 47 /* / */) {
      const next = source.charCodeAt(at + 1);
      if (next === 47) {
        at = lineEnd(source, at);
        if (gap === "") gap = " ";
        continue;
      }
      if (next === 42 /* * */) {
        const close = source.indexOf("*/", at + 2);
        if (close < 0) return undefined;
        if (lineEnd(source, at) < close) gap = "\n";
        else if (gap === "") gap = " ";
        at = close + 2;
        continue;
      }
      slash = resolved();
      const close = slash === "division" ? undefined : regexEnd(source, at);
      if (close === undefined && slash === "regex") return undefined;
      begin("/");
      if (close === undefined) {
        at++;
        finish("/", "regex");
        continue;
      }
      // Read as a division the same characters must be as plain as they are here, or the two readings part.
      if (slash === "unknown" && isDifferentAsDivision(source.slice(at, close), source[close] ?? "")) return undefined;
      at = close;
      finish("a", slash === "unknown" ? "unknown" : "division");
    } else if (code === 34 /* " */ || code === 39 /* ' */) {
      const close = stringEnd(source, at, code);
      if (close === undefined) return undefined;
      begin("(");
      at = close;
      finish(")", "division");
    } else if (code === 96 /* ` */ || (code === 125 /* } */ && braces.at(-1)?.kind === "template")) {
      const chunk = templateChunk(source, at + 1);
      if (chunk === undefined) return undefined;
      begin("(");
      at = chunk.end;
      if (code === 125) braces.pop();
      if (chunk.isOpen) braces.push({ kind: "template", from: 0 });
      finish(chunk.isOpen ? "(" : ")", chunk.isOpen ? "regex" : "division");
    } else {
      const character = source[at]!;
      let next: Slash = "regex";
      if (code === 40 /* ( */) parens.push(isHead());
      else if (code === 41 /* ) */) {
        const wasHead = parens.pop();
        if (wasHead === undefined) return undefined;
        if (!wasHead) next = "division";
      } else if (code === 123 /* { */) braces.push({ kind: "block", from: 0 });
      else if (code === 125) {
        const brace = braces.pop();
        if (brace === undefined) return undefined;
        next = "unknown";
        if (brace.kind === "main") {
          // Something in its place: without the block the lines around it could be one statement.
          parts.length = brace.from;
          parts.push("\n;");
          cut = { from: brace.from, to: parts.length };
          at++;
          runFrom = at;
          gap = "";
          finish(";", "regex");
          continue;
        }
      } else if (code === 93 /* ] */) next = "division";
      else if (code === 33 /* ! */) next = gap === "\n" ? "regex" : resolved();
      else if (code === 62 /* > */) next = gap === "" && last === "=" ? "regex" : "unknown";
      else if ((code === 43 || code === 45) /* + - */ && gap === "" && last === character) next = "unknown";
      begin(character);
      at++;
      finish(character, next);
    }
  }
  if (parens.length + braces.length > 0) return undefined;
  if (gapFrom > runFrom) parts.push(source.slice(runFrom, gapFrom));
  else if (cut?.to === parts.length) parts.length = cut.from;
  return { out: parts.join(""), hasCut: cut !== undefined };
}

function slashAfter(text: string): Slash {
  if (beforeRegex.test(text)) return "regex";
  return beforeEither.test(text) ? "unknown" : "division";
}

function isDifferentAsDivision(text: string, next: string): boolean {
  return /["'`{}()]|\/[/*]/.test(text) || next === "/" || next === "*";
}

/** Whether two tokens mean something else without the space that is between them. */
function needsSpace(last: string, isNumber: boolean, first: string): boolean {
  if (separators.includes(last) || separators.includes(first)) return false;
  if (last === "a") return first === "a" || (isNumber && first === ".");
  return first !== "a" || last === "." || last === "#";
}

function matchAt(pattern: RegExp, source: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(source);
}
