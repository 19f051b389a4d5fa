/** Makes a text safe to print: names from elsewhere may contain control sequences that a terminal interprets. */
export function readable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
