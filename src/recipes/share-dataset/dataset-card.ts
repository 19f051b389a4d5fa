import type { DatasetFile } from "./list-dataset-files.ts";

/** The facts about a dataset that are known without reading its files. */
export interface DatasetFacts {
  readonly name: string;
  readonly files: readonly Pick<DatasetFile, "path" | "bytes">[];
  readonly bytes: number;
}

/** The text of a card, or a function that creates it. */
export type DatasetCard = string | ((facts: DatasetFacts) => string | Promise<string>);

/** A card for a dataset without one: YAML front matter, and a summary by kind of file. */
export function defaultCard({ name, files, bytes }: DatasetFacts): string {
  const kinds = new Map<string, { count: number; bytes: number }>();
  for (const { path, bytes: fileBytes } of files) {
    const kind = /\.[A-Za-z0-9]+$/.exec(path)?.[0] ?? "without an extension";
    const sum = kinds.get(kind) ?? { count: 0, bytes: 0 };
    kinds.set(kind, { count: sum.count + 1, bytes: sum.bytes + fileBytes });
  }
  const rows = [...kinds]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, sum]) => `| ${kind} | ${sum.count} | ${sum.bytes} |`);
  return [
    "---",
    `pretty_name: ${JSON.stringify(name)}`,
    "tags:",
    "- millrace",
    "---",
    "",
    `# ${name}`,
    "",
    `${files.length} files, ${bytes} bytes.`,
    "",
    "| kind | files | bytes |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
