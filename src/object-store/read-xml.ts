const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The contents of all elements of this name, as they are: the answers of object stores are flat and have no attributes that count. */
export function xmlElements(text: string, name: string): string[] {
  const found: string[] = [];
  const [open, close] = [`<${name}`, `</${name}>`];
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at)) {
    const after = text[at + open.length] ?? "";
    const from = text.indexOf(">", at) + 1;
    at += open.length;
    // Another name that only begins like this one.
    if (!/[\s>/]/.test(after) || from === 0) continue;
    if (text[from - 2] === "/") {
      found.push("");
      continue;
    }
    const to = text.indexOf(close, from);
    if (to < 0) break;
    found.push(text.slice(from, to));
    at = to + close.length;
  }
  return found;
}

/** The text of the first element of this name. */
export function xmlText(text: string, name: string): string | undefined {
  const [first] = xmlElements(text, name);
  return first?.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,4}));/gi, (whole, decimal, hex, named) => {
    if (named !== undefined) return entities[named as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A text as the content of an element. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
