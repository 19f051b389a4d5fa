const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// What XML has no place for: control characters and halves of surrogate pairs.
const unfit = /(?![\t\n\r])[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu;

/** Text from data as text of an SVG or HTML file, never as a part of its structure. */
export function escapeText(text: string): string {
  return text.replace(unfit, "\ufffd").replace(/[&<>"']/g, (character) => entities[character]!);
}
