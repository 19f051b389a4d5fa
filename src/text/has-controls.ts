/** True if a text has a control character: a line break ends a directive, and a terminal interprets the others. */
export function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
