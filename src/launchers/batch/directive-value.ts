/**
 * A value as it stands in a directive of Slurm, which reads them as a shell reads words, but expands nothing: in double
 * quotes a backslash stands before a quote and itself.
 */
export function directiveValue(value: string): string {
  return /^[\w.,:/@+%=!&-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}
