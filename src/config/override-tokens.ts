import { numberPatterns } from "./expression-tokens.ts";
import { BadSyntax, type Token, type TokenRule, tokenize } from "./tokenize.ts";

// The tokens of the part after the = of Hydra's override grammar. An interpolation is kept for later; it may contain
// others, which Hydra requires in quotes.
const modes: Readonly<Record<string, readonly TokenRule[]>> = {
  value: [
    { type: "interpolation", pattern: /\$\{/y, push: "inside" },
    { type: "parenOpen", pattern: /[ \t]*\([ \t]*/y },
    { type: "parenClose", pattern: /[ \t]*\)/y },
    { type: "comma", pattern: /[ \t]*,[ \t]*/y },
    { type: "bracketOpen", pattern: /\[[ \t]*/y },
    { type: "bracketClose", pattern: /[ \t]*\]/y },
    { type: "braceOpen", pattern: /\{[ \t]*/y },
    { type: "braceClose", pattern: /[ \t]*\}/y },
    { type: "colon", pattern: /[ \t]*:[ \t]*/y },
    { type: "equal", pattern: /[ \t]*=[ \t]*/y },
    { type: "quoted", pattern: /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/sy },
    { type: "float", pattern: numberPatterns.float },
    { type: "int", pattern: numberPatterns.int },
    { type: "bool", pattern: numberPatterns.bool },
    { type: "null", pattern: numberPatterns.null },
    { type: "id", pattern: /[a-zA-Z_][a-zA-Z0-9_]*/y },
    { type: "escape", pattern: /(?:\\[\\()[\]{}:=, \t])+/y },
    { type: "space", pattern: /[ \t]+/y },
    { type: "char", pattern: /[^()[\]{},:='" \t]/uy },
  ],
  inside: [
    { type: "interpolation", pattern: /\$?\{/y, push: "inside" },
    { type: "interpolationEnd", pattern: /\}/y, pop: true },
    { type: "inside", pattern: /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^{}'"]|\$(?!\{)/sy },
  ],
};

/** The tokens of an override's value; each whole interpolation is one. */
export function tokenizeOverrideValue(text: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (const token of tokenize(text, modes, "value")) {
    const outer = depth === 0 ? undefined : tokens.pop();
    tokens.push(outer === undefined ? token : { ...outer, text: outer.text + token.text });
    if (token.type === "interpolation") depth++;
    if (token.type === "interpolationEnd") depth--;
  }
  if (depth > 0) throw new BadSyntax("an interpolation is not closed", text.length);
  return tokens;
}
