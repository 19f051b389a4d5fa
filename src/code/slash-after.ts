/** What a slash is: the beginning of a regular expression, a division, or what only a parser could tell. */
type Slash = "regex" | "division" | "unknown";

const beforeRegex = /^(?:return|typeof|case|in|delete|void|throw|new|instanceof|do|else|default)$/;
// These are also names, or can be in front of either.
const beforeEither = /^(?:of|yield|await|extends)$/;

/** What a slash behind this text is; `isAfterRegex` where the text ends with a regular expression. */
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
    const head = before.slice(0, at).trimEnd();
    const word = lastWord(head);
    if (word === "") return at === 0 ? "unknown" : "division";
    if (isMember(head, word) || !/^(?:if|while|for|with|await)$/.test(word)) return "division";
    return word === "await" ? "unknown" : "regex";
  }
  return "unknown";
}

/** The word that a text ends with; none where it ends with something else. */
function lastWord(text: string): string {
  let at = text.length;
  while (at > 0 && /[\w$\u0080-\uffff]/.test(text[at - 1]!)) at--;
  return text.slice(at);
}

/** Whether the word at the end is the name of a member, which may be any word; behind three dots it is none. */
function isMember(text: string, word: string): boolean {
  const before = text.slice(0, text.length - word.length).trimEnd();
  return /[.#]$/.test(before) && !before.endsWith("...");
}
