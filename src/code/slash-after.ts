/** What a slash is: the beginning of a regular expression, a division, or what only a parser could tell. */
type Slash = "regex" | "division" | "unknown";

const beforeRegex = /^(?:return|typeof|case|in|delete|void|throw|new|instanceof|do|else|default)$/;
// These are also names, or can be in front of either.
const beforeEither = /^(?:of|yield|await|extends)$/;
const lastWord = /([.#]?)\s*([\w$\u0080-\uffff]+)$/;

/** What a slash behind this text is; `isAfterRegex` where the text ends with a regular expression. */
export function slashAfter(before: string, isAfterRegex: boolean): Slash {
  if (isAfterRegex) return "unknown";
  const last = before.at(-1);
  if (last === undefined) return "regex";
  const [, mark, word] = lastWord.exec(before.slice(-40)) ?? [];
  if (word !== undefined) {
    if (mark !== "" && !before.endsWith(`...${word}`)) return "division";
    if (beforeRegex.test(word)) return "regex";
    return beforeEither.test(word) ? "unknown" : "division";
  }
  if (last === "]" || last === '"' || last === "'" || last === "`") return "division";
  if (last === ")") return slashAfterBracket(before);
  if (last === "}" || last === "!") return "unknown";
  if (last === ">") return before.endsWith("=>") ? "regex" : "unknown";
  return before.endsWith("++") || before.endsWith("--") ? "unknown" : "regex";
}

/** Behind the head of a statement a regular expression begins, behind a value in brackets there is a division. */
function slashAfterBracket(before: string): Slash {
  let open = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const character = before[at]!;
    // Brackets in a literal do not count, and where it begins is not known from behind.
    if (/["'`/]/.test(character)) return "unknown";
    if (character === ")") open++;
    if (character !== "(" || --open > 0) continue;
    const [, mark, word] = lastWord.exec(before.slice(Math.max(0, at - 40), at).trimEnd()) ?? [];
    if (word === undefined) return at === 0 ? "unknown" : "division";
    if (mark !== "" || !/^(?:if|while|for|with|await)$/.test(word)) return "division";
    return word === "await" ? "unknown" : "regex";
  }
  return "unknown";
}
