const replacements: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes text for HTML and SVG: names come from manifests and may contain anything, including characters that neither
 * allows.
 */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => replacements[character]!)
    .replace(/[^\P{Cc}\n\t]|\p{Surrogate}|[\ufffe\uffff]/gu, "\ufffd");
}

/** A number with as few digits as a drawing needs. */
export function shortNumber(value: number): string {
  return String(Number(value.toFixed(2)));
}

/** An SVG that works alone or in a page: it has its own fonts and colours, for light and dark. */
export function drawing(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    "<style>text{font:12px system-ui,sans-serif;fill:#555}.axis{stroke:#999;fill:none}.mark{stroke:#c33;stroke-dasharray:4 3}" +
      "@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>",
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
