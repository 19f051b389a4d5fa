/**
 * The id and location in a line `id location` of a list; undefined for another line. Without a regular expression,
 * which is slow with many blanks.
 */
export function splitListLine(line: string): { readonly id: string; readonly place: string } | undefined {
  const end = line.search(/\s/);
  const place = line
    .slice(end)
    .trimEnd()
    .replace(/^[ \t]+/, "");
  const isSplit = end > 0 && (line[end] === " " || line[end] === "\t");
  return isSplit && /^.+$/.test(place) ? { id: line.slice(0, end), place } : undefined;
}
