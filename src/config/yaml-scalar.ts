import { Float, type ScalarValue } from "./config-node.ts";

// PyYAML's patterns of YAML 1.1, with OmegaConf's float (so that 1e3 is a number) and without timestamps (a date stays
// a string). Python tries them in this order for their possible first characters.
const booleans: Readonly<Record<string, boolean>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(["yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map((text) => [text, true])),
  ...Object.fromEntries(
    ["no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map((text) => [text, false]),
  ),
});
const nulls = new Set(["", "~", "null", "Null", "NULL"]);
const integer =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
const float = new RegExp(
  [
    "^(?:[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+]?[0-9]+)?",
    "[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+",
    "\\.[0-9_]+(?:[eE][-+][0-9]+)?",
    "[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*",
    "[-+]?\\.(?:inf|Inf|INF)",
    "\\.(?:nan|NaN|NAN))$",
  ].join("|"),
);

/** Why a scalar cannot be parsed; the caller adds its position. */
export class BadScalar extends Error {}

export function isPlainNull(text: string): boolean {
  return nulls.has(text);
}

/** The value of an unquoted YAML scalar, as PyYAML and OmegaConf read it. */
export function readPlainScalar(text: string): ScalarValue {
  if (nulls.has(text)) return null;
  if (text === "<<" || text === "=") throw new BadScalar(`${text} has a meaning of its own in YAML; quote it`);
  const boolean = booleans[text];
  if (boolean !== undefined) return boolean;
  // A number begins with one of these; most texts do not.
  if (!/^[-+.0-9]/.test(text)) return text;
  if (integer.test(text)) return readInteger(text);
  return float.test(text) ? readFloat(text) : text;
}

/** The value of a scalar with an explicit tag (`!!int "3"`). */
export function readTaggedScalar(tag: string, text: string): ScalarValue {
  switch (tag) {
    case "str":
      return text;
    case "null":
      return null;
    case "bool": {
      const boolean = booleans[text] ?? booleans[text.toLowerCase()];
      if (boolean === undefined) throw new BadScalar(`${JSON.stringify(text)} is not a boolean`);
      return boolean;
    }
    case "int":
      return readInteger(text);
    default:
      return readFloat(text);
  }
}

function readInteger(text: string): number {
  const { sign, digits } = splitSign(text);
  const value = /^0b/.test(digits)
    ? Number.parseInt(requireDigits(digits.slice(2), /^[01]+$/, text), 2)
    : /^0x/.test(digits)
      ? Number.parseInt(requireDigits(digits.slice(2), /^[0-9a-fA-F]+$/, text), 16)
      : /^0[0-9]/.test(digits)
        ? Number.parseInt(requireDigits(digits, /^[0-7]+$/, text), 8)
        : digits.includes(":")
          ? readBase60(digits.split(":").map((part) => Number(requireDigits(part, /^[0-9]+$/, text))))
          : Number(requireDigits(digits, /^[0-9]+$/, text));
  // Python's integers are unbounded; a JavaScript number would silently be another one.
  if (!Number.isSafeInteger(value)) {
    throw new BadScalar(`${text} is an integer beyond ±2^53, which JavaScript cannot hold exactly; quote it`);
  }
  return value === 0 ? 0 : sign * value;
}

function readFloat(text: string): Float {
  const { sign, digits } = splitSign(text.toLowerCase());
  if (digits === ".inf") return new Float(sign * Number.POSITIVE_INFINITY);
  if (digits === ".nan") return new Float(Number.NaN);
  const parts = digits.split(":").map((part) => Number(requireDigits(part, pythonFloat, text)));
  return new Float(sign * readBase60(parts));
}

// What Python's float() accepts, besides infinity and NaN.
const pythonFloat = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/;

function splitSign(text: string): { sign: number; digits: string } {
  const digits = text.replaceAll("_", "");
  const signed = /^[-+]/.test(digits);
  return { sign: digits.startsWith("-") ? -1 : 1, digits: signed ? digits.slice(1) : digits };
}

function requireDigits(digits: string, pattern: RegExp, text: string): string {
  if (!pattern.test(digits)) throw new BadScalar(`${JSON.stringify(text)} is not a number`);
  return digits;
}

// 1:30:00 is 5400 in YAML 1.1.
function readBase60(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum * 60 + part, 0);
}
