import { MillraceError } from "../../../index.ts";

/**
 * The characters that a config gives, as the content of a character class: `a-z' `, `\p{L}\p{M} `. Brackets must be
 * escaped, so that none ends the class early.
 */
export function characterClass(characters: string, key: string): RegExp {
  const bracket = /(?<!\\)(?:\\\\)*[[\]]/.exec(characters);
  if (bracket !== null) throw badClass(characters, key, "a bracket needs a backslash before it");
  if (characters === "") throw badClass(characters, key, "it is empty");
  // A ^ at the beginning would negate the class, which is never meant in a list of characters.
  const inside = characters.startsWith("^") ? `\\${characters}` : characters;
  try {
    return new RegExp(`[${inside}]`, "u");
  } catch (cause) {
    throw badClass(characters, key, (cause as Error).message);
  }
}

function badClass(characters: string, key: string, why: string): MillraceError {
  return new MillraceError("BAD_CONFIG", `${key} is ${JSON.stringify(characters)}: ${why}.`, {
    hint: `Write characters one after the other, ranges with a hyphen, a hyphen itself last: "a-z' -"; \\p{L} is any letter.`,
  });
}
