/** Quotes a word for a shell, for commands that are shown to the user. */
export function shellWord(word: string): string {
  return /^[\w./+:@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
