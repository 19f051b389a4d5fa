import { Float, type ScalarValue } from "./config-node.ts";
import { BadSyntax, type Token } from "./tokenize.ts";

/** The value of a number, boolean or null in the grammar; anything else is a string. */
export function literalValue(token: Token): ScalarValue {
  switch (token.type) {
    case "null":
      return null;
    case "bool":
      return token.text.toLowerCase() === "true";
    case "int":
      return readInt(token);
    case "float":
      return new Float(readFloat(token.text));
    default:
      return unescapeText(token, undefined);
  }
}

function readInt(token: Token): number {
  const value = Number(token.text.replaceAll("_", ""));
  if (!Number.isSafeInteger(value)) {
    throw new BadSyntax(`${token.text} is beyond ±2^53, which JavaScript cannot hold exactly; quote it`, token.at);
  }
  return value === 0 ? 0 : value;
}

function readFloat(text: string): number {
  const plain = text.replaceAll("_", "").toLowerCase();
  if (plain.endsWith("inf")) return plain.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return plain.endsWith("nan") ? Number.NaN : Number(plain);
}

/** The text of a token. A backslash is an escape only if it would otherwise change the meaning of what follows. */
export function unescapeText(token: Token, nextType: string | undefined): string {
  const { type, text } = token;
  if (type === "escapedOpen") return text.slice(-(Math.floor(text.length / 2) + 1));
  const isEscape =
    type === "escape" ||
    (type === "textBackslashes" && nextType === "open") ||
    (type === "quotedBackslashes" && (nextType === "quoteClose" || nextType === "open"));
  return isEscape ? everySecond(text) : text;
}

function everySecond(text: string): string {
  let out = "";
  for (let i = 1; i < text.length; i += 2) out += text[i];
  return out;
}
