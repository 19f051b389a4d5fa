import { type Token, type TokenRule, tokenize } from "./tokenize.ts";

// The tokens of OmegaConf 2.2's interpolation grammar. The mode depends on the context: the text of a value, the key
// inside `${…}`, the arguments of a resolver, and the two kinds of quotes.
const unsigned = "(?:0|[1-9](?:_?[0-9])*)";
const digits = "[0-9](?:_?[0-9])*";
const pointFloat = `(?:${unsigned}?\\.${digits}|${unsigned}\\.)`;
export const numberPatterns: Readonly<Record<"float" | "int" | "bool" | "null", RegExp>> = {
  float: new RegExp(
    `[+-]?(?:(?:${pointFloat}|${unsigned})[eE][+-]?${digits}|${pointFloat}|[Ii][Nn][Ff]|[Nn][Aa][Nn])`,
    "y",
  ),
  int: new RegExp(`[+-]?${unsigned}`, "y"),
  bool: /true|false/iy,
  null: /null/iy,
};

const id = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const open: Omit<TokenRule, "pattern"> = { type: "open", push: "key" };

/** The rules of a text that may contain interpolations; `mark` is the quote that ends it, if any. */
function textRules(mark: "" | "'" | '"'): TokenRule[] {
  const rules: TokenRule[] = [
    { ...open, pattern: /\$\{[ \t]*/y },
    { type: "text", pattern: new RegExp(`[^$${mark}]*[^\\\\$${mark}]`, "y") },
    { type: "escapedOpen", pattern: /(?:\\\\)*\\\$\{/y },
  ];
  if (mark !== "") {
    rules.push({ type: "escape", pattern: new RegExp(`(?:\\\\\\\\)*\\\\${mark}`, "y") });
    rules.push({ type: "quoteClose", pattern: new RegExp(mark, "y"), pop: true });
  }
  rules.push({ type: mark === "" ? "textBackslashes" : "quotedBackslashes", pattern: /(?:\\\\)+/y });
  rules.push({ type: "text", pattern: /\\+/y }, { type: "text", pattern: /\$/y });
  return rules;
}

const modes: Readonly<Record<string, readonly TokenRule[]>> = {
  text: textRules(""),
  single: textRules("'"),
  double: textRules('"'),
  key: [
    { ...open, pattern: /\$\{[ \t]*/y },
    { type: "colon", pattern: /[ \t]*:[ \t]*/y, become: "value" },
    { type: "interClose", pattern: /[ \t]*\}/y, pop: true },
    { type: "dot", pattern: /\./y },
    { type: "bracketOpen", pattern: /\[/y },
    { type: "bracketClose", pattern: /\]/y },
    { type: "id", pattern: id },
    { type: "key", pattern: /[^\\{}()[\]:. \t'"]+/y },
  ],
  value: [
    { ...open, pattern: /\$\{[ \t]*/y },
    { type: "braceOpen", pattern: /\{[ \t]*/y, push: "value" },
    { type: "braceClose", pattern: /[ \t]*\}/y, pop: true },
    { type: "quoteOpen", pattern: /'/y, push: "single" },
    { type: "quoteOpen", pattern: /"/y, push: "double" },
    { type: "comma", pattern: /[ \t]*,[ \t]*/y },
    { type: "bracketOpen", pattern: /\[[ \t]*/y },
    { type: "bracketClose", pattern: /[ \t]*\]/y },
    { type: "colon", pattern: /[ \t]*:[ \t]*/y },
    { type: "float", pattern: numberPatterns.float },
    { type: "int", pattern: numberPatterns.int },
    { type: "bool", pattern: numberPatterns.bool },
    { type: "null", pattern: numberPatterns.null },
    { type: "char", pattern: /[/\-\\+.$%*@?|]/y },
    { type: "id", pattern: id },
    { type: "escape", pattern: /(?:\\[\\()[\]{}:=, \t])+/y },
    { type: "space", pattern: /[ \t]+/y },
  ],
};

/** The tokens of a value of a config. */
export function tokenizeText(text: string): Token[] {
  return tokenize(text, modes, "text");
}

/** The tokens of one element, in the syntax of a resolver's argument. */
export function tokenizeElement(text: string): Token[] {
  return tokenize(text, modes, "value");
}
