const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// Characters that XML does not allow: control characters and unpaired surrogates.
const unfit = /(?![\t\n\r])[\p{Cc}\p{Surrogate}\ufffe\uffff]/gu;

/** Escapes text for SVG or HTML, so that data never becomes markup. */
export function escapeText(text: string): string {
  return text.replace(unfit, "\ufffd").replace(/[&<>"']/g, (character) => entities[character]!);
}
