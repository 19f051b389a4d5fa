/** What a slash is: the beginning of a regular expression, a division, or undecidable without a parser. */
type Slash = "regex" | "division" | "unknown";

const beforeRegex = /^(?:return|typeof|case|in|delete|void|throw|new|instanceof|do|else|default)$/;
// These words can also be names, or can precede either.
const beforeEither = /^(?:of|yield|await|extends)$/;

/** What a slash after this text is. `isAfterRegex` is true if the text ends with a regular expression. */
export function slashAfter(before: string, isAfterRegex: boolean): Slash {
  if (isAfterRegex) return "unknown";
  const last = before.at(-1);
  if (last === undefined) return "regex";
  const word = lastWord(before);
  if (word !== "") {
    if (isMember(before, word)) return "division";
    if (beforeRegex.test(word)) return "regex";
    return beforeEither.test(word) ? "unknown" : "division";
  }
  if (last === "]" || last === '"' || last === "'" || last === "`") return "division";
  if (last === ")") return slashAfterBracket(before);
  if (last === "!") return slashAfterMark(before.slice(0, -1));
  if (last === "}") return "unknown";
  if (last === ">") return before.endsWith("=>") ? "regex" : "unknown";
  return before.endsWith("++") || before.endsWith("--") ? "unknown" : "regex";
}

/** Behind a value the mark is TypeScript's "not null", and a division follows; elsewhere it is "not". */
function slashAfterMark(before: string): Slash {
  if (before.endsWith("]")) return "division";
  const word = lastWord(before);
  if (word === "") return "unknown";
  return isMember(before, word) || !(beforeRegex.test(word) || beforeEither.test(word)) ? "division" : "unknown";
}

/** Behind the head of a statement a regular expression begins, behind a value in brackets there is a division. */
function slashAfterBracket(before: string): Slash {
  let open = 0;
  for (let at = before.length - 1; at >= 0; at--) {
    const character = before[at]!;
    // Parentheses inside a literal do not count, and the beginning of a literal cannot be found by reading backwards.
    if (/["'`/]/.test(character)) return "unknown";
    if (character === ")") open++;
    if (character !== "(" || --open > 0) continue;
    const head = before.slice(0, at).trimEnd();
    const word = lastWord(head);
    if (word === "") return at === 0 ? "unknown" : "division";
    if (isMember(head, word) || !/^(?:if|while|for|with|await)$/.test(word)) return "division";
    return word === "await" ? "unknown" : "regex";
  }
  return "unknown";
}

/** The word at the end of a text. Empty if it ends with something else. */
function lastWord(text: string): string {
  let at = text.length;
  while (at > 0 && /[\w$\u0080-\uffff]/.test(text[at - 1]!)) at--;
  return text.slice(at);
}

/** True if the word at the end is a member name, which may be any word. After `...` it is not one. */
function isMember(text: string, word: string): boolean {
  const before = text.slice(0, text.length - word.length).trimEnd();
  return /[.#]$/.test(before) && !before.endsWith("...");
}
