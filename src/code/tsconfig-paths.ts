import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalText } from "./normal-text.ts";

interface Aliases {
  /** The folder to which the targets are relative. */
  readonly base: string;
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** The candidate paths for a specifier by the `paths` of the nearest tsconfig.json. They may not exist. */
export function pathsOf(specifier: string, folder: string): string[] {
  const aliases = nearestAliases(folder);
  if (aliases === undefined) return [];
  return Object.entries(aliases.paths).flatMap(([pattern, targets]) => {
    const [before = "", after] = pattern.split("*");
    const matches =
      after === undefined ? pattern === specifier : specifier.startsWith(before) && specifier.endsWith(after);
    if (!matches) return [];
    const star = after === undefined ? "" : specifier.slice(before.length, specifier.length - after.length);
    return targets.map((target) =>
      join(
        aliases.base,
        target.replace("*", () => star),
      ),
    );
  });
}

const known = new Map<string, Aliases | undefined>();

/** Clears the cache: files may have changed since the last walk. */
export function clearAliasCache(): void {
  known.clear();
}

function nearestAliases(folder: string): Aliases | undefined {
  if (known.has(folder)) return known.get(folder);
  const text = textOf(join(folder, "tsconfig.json"));
  const above = dirname(folder);
  const found =
    text !== undefined
      ? aliasesIn(join(folder, "tsconfig.json"), 0)
      : above === folder
        ? undefined
        : nearestAliases(above);
  known.set(folder, found);
  return found;
}

// A chain of configs that extend each other is short.
const maxExtends = 5;

function aliasesIn(path: string, depth: number): Aliases | undefined {
  const config = parse(textOf(path));
  if (config === undefined) return undefined;
  const { paths, baseUrl } = config.compilerOptions ?? {};
  if (isAliasTable(paths)) return { base: join(dirname(path), typeof baseUrl === "string" ? baseUrl : "."), paths };
  const parent = typeof config.extends === "string" && config.extends.startsWith(".") ? config.extends : undefined;
  if (parent === undefined || depth >= maxExtends) return undefined;
  const file = join(dirname(path), parent.endsWith(".json") ? parent : `${parent}.json`);
  return aliasesIn(file, depth + 1);
}

interface TsConfig {
  readonly extends?: unknown;
  readonly compilerOptions?: { readonly paths?: unknown; readonly baseUrl?: unknown };
}

/** A config may contain comments and a trailing comma. */
function parse(text: string | undefined): TsConfig | undefined {
  const plain = text === undefined ? undefined : normalText(`(${text})`);
  if (plain === undefined) return undefined;
  try {
    const json = JSON.parse(plain.slice(1, -1).replace(/,\s*([}\]])/g, "$1")) as TsConfig | null;
    return typeof json === "object" && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

function isAliasTable(value: unknown): value is Record<string, readonly string[]> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((targets) => Array.isArray(targets) && targets.every((one) => typeof one === "string"))
  );
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
