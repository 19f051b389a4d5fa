import { readYamlText } from "../../config/read-yaml.ts";
import { toPlain } from "../../config/to-plain.ts";
import { MillraceError } from "../../errors/errors.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { isPlainObject } from "../../values/state-json.ts";

/** A configuration of a dataset: the patterns of its files by split. */
export interface CardConfig {
  readonly name: string;
  readonly isDefault: boolean;
  readonly splits: ReadonlyMap<string, readonly string[]>;
}

/** The maximum size of a card. */
export const maxCardBytes: number = 4 * 2 ** 20;

/** The configurations that a card (README.md) names in its front matter; none without one. */
export function readCard(card: { readonly place: string; readonly text: string } | undefined): CardConfig[] {
  if (card === undefined) return [];
  const [, front] = /^\ufeff?---\r?\n([\s\S]*?\r?\n)---(?:\r?\n|$)/.exec(card.text) ?? [];
  if (front === undefined) return [];
  return configsIn(card.place, parseFront(card.place, front));
}

function parseFront(path: string, front: string): unknown {
  try {
    return toPlain(readYamlText(front, path));
  } catch (cause) {
    throw new MillraceError("BAD_FILE", `${path}, offset 0: the YAML between --- and --- cannot be read.`, {
      cause,
      hint: "Correct the card, or name the files with openParquet or openJsonl.",
    });
  }
}

function configsIn(path: string, front: unknown): CardConfig[] {
  const configs = isPlainObject(front) ? front["configs"] : undefined;
  if (configs === undefined || configs === null) return [];
  const bad = (what: string) => refuseFile(path, 0, `the card has ${what}`);
  if (!Array.isArray(configs)) throw bad("configs that are no list");
  return configs.map((config: unknown): CardConfig => {
    const name = isPlainObject(config) ? (config["config_name"] ?? "default") : undefined;
    if (!isPlainObject(config) || typeof name !== "string") throw bad("a config without a config_name");
    const dir = typeof config["data_dir"] === "string" ? `${config["data_dir"].replace(/\/+$/, "")}/` : "";
    const splits = splitsOf(config["data_files"] ?? "**", () =>
      bad(`data_files of ${JSON.stringify(name)} that are no patterns`),
    );
    const placed = [...splits].map(([split, patterns]) => [split, patterns.map((one) => `${dir}${one}`)] as const);
    return { name, isDefault: config["default"] === true || name === "default", splits: new Map(placed) };
  });
}

/** `data_files`: a pattern, several, or a list of splits with theirs. */
function splitsOf(files: unknown, bad: () => Error): Map<string, string[]> {
  const splits = new Map<string, string[]>();
  const add = (split: string, path: unknown): void => {
    const patterns = [path].flat();
    const isPattern = (pattern: unknown) => typeof pattern === "string" && pattern !== "" && pattern.length <= 500;
    if (!patterns.every(isPattern)) throw bad();
    splits.set(split, [...(splits.get(split) ?? []), ...(patterns as string[])]);
  };
  for (const one of [files].flat() as unknown[]) {
    if (typeof one === "string") add("train", one);
    else if (isPlainObject(one) && typeof one["split"] === "string") add(one["split"], one["path"]);
    else if (isPlainObject(one) && one["split"] === undefined)
      for (const [split, path] of Object.entries(one)) add(split, path);
    else throw bad();
  }
  return splits;
}
