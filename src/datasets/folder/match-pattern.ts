import { MillraceError } from "../../errors/errors.ts";

/** Whether a name fits a pattern: `*` and `?` within a part of a path, `**` for any folders, `{a,b}` for one of several. */
export function matchPattern(pattern: string): (name: string) => boolean {
  if (typeof pattern !== "string" || pattern === "" || pattern.length > 1000) {
    throw new MillraceError("BAD_OPTION", `openFolder: the pattern is ${JSON.stringify(pattern)}.`, {
      hint: 'Write for instance { pattern: "**/*.wav" }, or "**/*.{wav,flac}".',
    });
  }
  const expression = new RegExp(`^${translate(pattern)}$`, "su");
  return (name) => expression.test(name);
}

function translate(pattern: string): string {
  let text = "";
  let depth = 0;
  let closing = pattern.split("}").length - 1;
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at]!;
    if (pattern.startsWith("**/", at)) {
      text += "(?:[^/]+/)*";
      at += 2;
    } else if (sign === "*") {
      // One star where several follow each other: a row of them takes exponential time.
      while (pattern[at + 1] === "*") at++;
      text += at > 0 && pattern[at - 1] === "*" ? ".*" : "[^/]*";
    } else if (sign === "?") text += "[^/]";
    // A brace that has no end is a plain character.
    else if (sign === "{" && closing > depth) {
      depth++;
      text += "(?:";
    } else if (sign === "}" && depth > 0) {
      depth--;
      closing--;
      text += ")";
    } else if (sign === "," && depth > 0) text += "|";
    else {
      if (sign === "}") closing--;
      text += sign.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    }
  }
  return text;
}
