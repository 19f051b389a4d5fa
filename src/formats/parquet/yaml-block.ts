/** Plain data as YAML, for the front matter of a card: only syntax that every YAML reader parses the same way. */
export function yamlBlock(value: object, indent = ""): string {
  return Object.entries(value)
    .map(([key, item]) => `${indent}${scalar(key)}:${entry(item, indent)}`)
    .join("");
}

function entry(value: unknown, indent: string): string {
  if (Array.isArray(value))
    return value.length === 0 ? " []\n" : `\n${value.map((item) => listItem(item, indent)).join("")}`;
  if (typeof value === "object" && value !== null) return `\n${yamlBlock(value, `${indent}  `)}`;
  return ` ${scalar(value)}\n`;
}

function listItem(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return `${indent}- ${scalar(value)}\n`;
  const block = yamlBlock(value, `${indent}  `);
  return `${indent}- ${block.slice(indent.length + 2)}`;
}

/** Quotes words that some reader parses as a boolean, number or null, and everything unusual. */
function scalar(value: unknown): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[a-z_][\w./<>*-]*$/i.test(value) && !/^(y|n|yes|no|on|off|true|false|null|inf|nan)$/i.test(value);
  return isPlain ? value : quoted(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\u2028\u2029\ufeff]/gu, (sign) => {
    return `\\u${sign.codePointAt(0)!.toString(16).padStart(4, "0")}`;
  });
}
