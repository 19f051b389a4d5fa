/** A word as a shell takes it, for commands that a user is told to type. */
export function shellWord(word: string): string {
  return /^[\w./+:@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
