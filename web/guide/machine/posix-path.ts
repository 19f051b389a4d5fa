export const sep = "/";

export function isAbsolute(path: string): boolean {
  return path.startsWith(sep);
}

export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(sep)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isAbsolute(path)) parts.push(part);
  }
  const end = path.endsWith(sep) ? sep : "";
  if (parts.length === 0) return isAbsolute(path) ? sep : `.${end}`;
  return (isAbsolute(path) ? sep : "") + parts.join(sep) + end;
}

export function join(...parts: readonly string[]): string {
  return normalize(parts.filter((part) => part !== "").join(sep) || ".");
}

export function dirname(path: string): string {
  const end = path.lastIndexOf(sep);
  if (end < 0) return ".";
  return end === 0 ? sep : path.slice(0, end);
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1);
}

export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot);
}

export function relative(from: string, to: string): string {
  const [a, b] = [from, to].map((path) => normalize(path).split(sep)) as [string[], string[]];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join(sep);
}

/** `resolve` for a program that was started in a folder. */
export function resolveIn(folder: () => string): (...parts: readonly string[]) => string {
  return (...parts) => {
    const last = parts.findLastIndex(isAbsolute);
    const path = join(...(last < 0 ? [folder(), ...parts] : parts.slice(last)));
    return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
  };
}

/** For absolute paths, like those of the machine. */
export const resolve: (...parts: readonly string[]) => string = resolveIn(() => sep);
