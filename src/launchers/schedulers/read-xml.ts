const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Decodes the five named entities and numeric ones. */
function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/**
 * The attributes and content of every element of a name. It works for elements that are not nested in each other;
 * schedulers print no others. Data cannot look like an element, because `<` and `>` are escaped.
 */
export function xmlElements(xml: string, name: string): { attributes: Record<string, string>; content: string }[] {
  const pattern = new RegExp(`<${name}((?:\\s[^<>]*?)?)(?:/>|>([\\s\\S]*?)</${name}>)`, "g");
  return [...xml.matchAll(pattern)].map(([, attributes = "", content = ""]) => ({
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, key, double, single]) => [
        key!,
        unescapeXml(double ?? single ?? ""),
      ]),
    ),
    content,
  }));
}

/** The text of the first element of a name; undefined if there is none, or if it is empty. */
export function xmlText(xml: string, name: string): string | undefined {
  const text = xmlElements(xml, name)[0]?.content.trim();
  return text === undefined || text === "" ? undefined : unescapeXml(text);
}
