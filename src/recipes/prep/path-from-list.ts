import { dirname, relative, resolve, sep } from "node:path";

/** A file as a list names it: relative to the list's folder, so that the line stays true when both are moved. */
export function pathFromList(path: string, listPath: string): string {
  return relative(dirname(resolve(listPath)), resolve(path))
    .split(sep)
    .join("/");
}
