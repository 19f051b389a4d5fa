/** A text for the terminal: names from elsewhere may hold what a terminal would obey. */
export function readable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
