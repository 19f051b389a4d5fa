import type { Document, LineCounter } from "yaml";
import type { MillraceError } from "../errors/errors.ts";
import { configError } from "./config-error.ts";
import type { SourcePosition } from "./config-node.ts";
import { yamlLibrary } from "./yaml-library.ts";

const closedQuotes: Readonly<Record<string, RegExp>> = {
  "single-quoted-scalar": /^'[^']*(?:''[^']*)*'$/,
  "double-quoted-scalar": /^"[^"\\]*(?:\\.[^"\\]*)*"$/s,
};

/** How a YAML text is parsed. */
interface YamlParsing {
  readonly source: string;
  readonly maxDepth: number;
  readonly uniqueKeys: boolean;
  readonly lineCounter: LineCounter;
}

/** Parses a YAML text. The failsafe schema keeps every scalar as written. Syntax errors are in the document's `errors`. */
export function parseYamlText(
  text: string,
  { source, maxDepth, uniqueKeys, lineCounter }: YamlParsing,
): Document.Parsed {
  const clean = refuseOddText(text, source, maxDepth);
  const { stackTraceLimit } = Error;
  // The library makes an error for each mistake, a damaged text has a mistake in every word, and stacks are most of the time.
  Error.stackTraceLimit = 0;
  try {
    return yamlLibrary().parseDocument(clean, {
      schema: "failsafe",
      version: "1.1",
      uniqueKeys,
      prettyErrors: false,
      logLevel: "error",
      lineCounter,
    });
  } catch (error) {
    // The library calls itself for each level, and `- - - -` nests without brackets.
    if (error instanceof RangeError) throw tooDeep({ source, line: 1, column: 1 }, maxDepth);
    throw error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Refuses what PyYAML refuses and the YAML library accepts (control characters, tabs as spaces), and what would take
 * the library very long (deeply nested brackets). Returns the text with normalised line ends.
 */
function refuseOddText(text: string, source: string, maxDepth: number): string {
  const clean = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const at = (offset: number): SourcePosition => positionIn(clean, offset, source);
  // U+0085, U+2028 and U+2029 end a line in YAML 1.1 and are text in 1.2: they must be written as escapes.
  const odd = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(clean);
  if (odd !== null) {
    const code = odd[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    throw configError(at(odd.index), `The character U+${code} is not allowed in YAML.`, {
      hint: "The file may not be text, or was damaged. In double quotes, write it as an escape: \\x00.",
    });
  }
  checkTokens(clean, at, maxDepth);
  return clean;
}

/** Only a mistake or an attack nests this deeply. */
export function tooDeep(position: SourcePosition, levels: number): MillraceError {
  return configError(position, `The file nests deeper than ${levels} levels.`, {
    hint: "Put what lies so deep into a file of its own that the program reads.",
  });
}

function checkTokens(text: string, at: (offset: number) => SourcePosition, maxDepth: number): void {
  const { CST, Lexer } = yamlLibrary();
  let offset = 0;
  let depth = 0;
  let isText = false;
  let isBlock = false;
  for (const token of new Lexer().lex(text)) {
    const type: string | null = isText ? "text" : CST.tokenType(token);
    isText = type === "scalar";
    // The lexer adds control characters of its own that are not in the text.
    if (type === "scalar" || type === "flow-error-end" || type === "doc-mode") continue;
    if (type === "flow-map-start" || type === "flow-seq-start") depth++;
    if (type === "flow-map-end" || type === "flow-seq-end") depth--;
    if (depth > maxDepth) throw tooDeep(at(offset), maxDepth);
    const tab = type === "space" || (type === "text" && !isBlock) ? token.indexOf("\t") : -1;
    if (tab !== -1) {
      throw configError(at(offset + tab), "There is a tab where YAML requires spaces.", {
        hint: "Replace it with spaces; inside a text, put the text in quotes.",
      });
    }
    const closed = closedQuotes[type ?? ""];
    if (closed !== undefined && !closed.test(token)) {
      throw configError(at(offset), "This is not valid YAML: a quote begins here and is not closed.", {
        hint: "If it continues over several lines, they have to be indented more than the key.",
      });
    }
    // Between the header of a block and its text there can be spaces, a comment and a line end.
    if (type !== "space" && type !== "comment" && type !== "newline") isBlock = type === "block-scalar-header";
    offset += token.length;
  }
}

function positionIn(text: string, offset: number, source: string): SourcePosition {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { source, line, column: offset - before.lastIndexOf("\n") };
}
