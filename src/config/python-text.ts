import { type ConfigNode, Float, type ScalarValue } from "./config-node.ts";

/** A value inside a string, as Python's `str` writes it: `run-${debug}` is "run-True", as in OmegaConf. */
export function pythonText(node: ConfigNode): string {
  return node.kind === "scalar" ? scalarText(node.value) : pythonRepr(node);
}

function scalarText(value: ScalarValue): string {
  if (typeof value === "string") return value;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return value instanceof Float ? floatText(value.value) : String(value);
}

// Containers show their content as written: interpolations are not resolved.
function pythonRepr(node: ConfigNode): string {
  if (node.kind === "scalar") return typeof node.value === "string" ? stringRepr(node.value) : scalarText(node.value);
  if (node.kind === "list") return `[${node.items.map(pythonRepr).join(", ")}]`;
  return `{${[...node.entries].map(([key, entry]) => `${stringRepr(key)}: ${pythonRepr(entry)}`).join(", ")}}`;
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  // Both languages print the shortest digits that round-trip; they differ in the format of exponents.
  const [digits = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const text = String(value);
  return text.includes(".") ? text : `${text}.0`;
}

function stringRepr(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = "";
  for (const char of text) {
    if (char === "\\" || char === mark) out += `\\${char}`;
    else if (char === "\n") out += "\\n";
    else if (char === "\r") out += "\\r";
    else if (char === "\t") out += "\\t";
    else out += isPrintable(char) ? char : escapeChar(char.codePointAt(0)!);
  }
  return mark + out + mark;
}

function isPrintable(char: string): boolean {
  return char === " " || !/[\p{C}\p{Z}]/u.test(char);
}

function escapeChar(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
