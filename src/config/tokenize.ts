/** One kind of token of a grammar. The longest match wins, then the first rule. */
export interface TokenRule {
  readonly type: string;
  /** With the sticky flag. */
  readonly pattern: RegExp;
  /** The mode that is pushed after this token; `pop` returns to the current one. */
  readonly push?: string;
  readonly pop?: true;
  /** The mode that replaces the current one. */
  readonly become?: string;
}

export interface Token {
  readonly type: string;
  readonly text: string;
  /** Where it begins, from 0. */
  readonly at: number;
}

/** Why and where a text does not match a grammar. The caller adds what the text belongs to. */
export class BadSyntax extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Splits a text into tokens, by the rules of the current mode. */
export function tokenize(text: string, modes: Readonly<Record<string, readonly TokenRule[]>>, start: string): Token[] {
  const tokens: Token[] = [];
  const outer: string[] = [];
  let mode = start;
  for (let at = 0; at < text.length; ) {
    const found = longestMatch(text, at, modes[mode]!);
    if (found === undefined) throw new BadSyntax(`${JSON.stringify(charAt(text, at))} is not allowed here`, at);
    tokens.push({ type: found.rule.type, text: found.text, at });
    at += found.text.length;
    const { push, pop, become } = found.rule;
    if (push !== undefined) {
      outer.push(mode);
      mode = push;
    }
    if (pop) {
      const back = outer.pop();
      if (back === undefined) throw new BadSyntax(`${JSON.stringify(found.text)} closes nothing`, at - 1);
      mode = back;
    }
    mode = become ?? mode;
  }
  return tokens;
}

function longestMatch(
  text: string,
  at: number,
  rules: readonly TokenRule[],
): { rule: TokenRule; text: string } | undefined {
  let best: { rule: TokenRule; text: string } | undefined;
  for (const rule of rules) {
    rule.pattern.lastIndex = at;
    const match = rule.pattern.exec(text)?.[0];
    if (match !== undefined && match.length > (best?.text.length ?? 0)) best = { rule, text: match };
  }
  return best;
}

function charAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at)!);
}
