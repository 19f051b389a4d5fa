/**
 * A value as it stands in a directive. Schedulers read directives as a shell reads words, but expand nothing: in double
 * quotes a backslash stands before a quote and itself.
 */
export function directiveValue(value: string): string {
  return /^[\w.,:/@+%=!&-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
