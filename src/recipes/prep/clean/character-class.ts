import { MillraceError } from "../../../index.ts";

/**
 * The characters a config names, as they stand between the brackets of a regular expression: `a-z' `, `\p{L}\p{M} `. Brackets
 * need a backslash, so that none ends the class before its end.
 */
export function characterClass(characters: string, key: string): RegExp {
  const bracket = /(?<!\\)(?:\\\\)*[[\]]/.exec(characters);
  if (bracket !== null) throw badClass(characters, key, "a bracket needs a backslash before it");
  if (characters === "") throw badClass(characters, key, "it is empty");
  // A ^ at the beginning would turn the class around; nobody means that where a list of characters is asked for.
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
