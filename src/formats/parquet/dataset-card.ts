import { MillraceError } from "../../errors/errors.ts";
import { listElement, type ParquetColumn } from "./parquet-column.ts";
import { yamlBlock } from "./yaml-block.ts";

/** One split of a data set, and its files. */
export interface DatasetSplit {
  /** `train`, `validation`, `test`, … */
  readonly name: string;
  /** Paths or patterns relative to the card: `data/train-*.parquet`. */
  readonly files: string | readonly string[];
  /** Known numbers of rows and bytes are shown and checked by the `datasets` library. */
  readonly rows?: number;
  readonly sizeBytes?: number;
}

/** One configuration of a data set, with its splits. */
export interface DatasetConfig {
  /** Default: `default`. */
  readonly name?: string;
  readonly splits: readonly DatasetSplit[];
  /** The columns, where the files are Parquet. */
  readonly columns?: readonly ParquetColumn[];
}

/** The content of a data set's card. */
export interface DatasetCardOptions {
  readonly title: string;
  /** Text of the page, in Markdown. */
  readonly description?: string;
  /** The Hub's name of the license: `cc-by-4.0`, `apache-2.0`, … */
  readonly license?: string;
  /** ISO 639 codes. */
  readonly language?: readonly string[];
  readonly tags?: readonly string[];
  readonly taskCategories?: readonly string[];
  readonly configs: readonly DatasetConfig[];
}

/** A README.md with which the `datasets` library loads a folder: `load_dataset("folder")`. */
export function datasetCard(options: DatasetCardOptions): string {
  checkNames(options.configs);
  const known = options.configs.filter(({ columns, splits }) => columns !== undefined || splits.every(hasNumbers));
  const front = {
    ...(options.license !== undefined && { license: options.license }),
    ...(options.language !== undefined && { language: options.language }),
    pretty_name: options.title,
    ...(options.tags !== undefined && { tags: options.tags }),
    ...(options.taskCategories !== undefined && { task_categories: options.taskCategories }),
    ...(options.configs.every(({ splits }) => splits.every(hasNumbers)) && {
      size_categories: [sizeCategory(options.configs)],
    }),
    ...(known.length > 0 && { dataset_info: known.map(infoOf) }),
    configs: options.configs.map(({ name = "default", splits }) => ({
      config_name: name,
      data_files: splits.map(({ name: split, files }) => ({ split, path: files })),
    })),
  };
  const parts = [`---\n${yamlBlock(front)}---\n`, `# ${oneLine(options.title)}\n`];
  if (options.description !== undefined) parts.push(`${options.description.trim()}\n`);
  parts.push(...options.configs.map((config) => describe(config, options.configs.length > 1)));
  return parts.join("\n");
}

function hasNumbers({ rows }: DatasetSplit): boolean {
  return rows !== undefined;
}

function infoOf({ name = "default", splits, columns }: DatasetConfig): object {
  return {
    config_name: name,
    ...(columns !== undefined && { features: columns.map(featureOf) }),
    ...(splits.every(hasNumbers) && {
      splits: splits.map(({ name: split, rows, sizeBytes = 0 }) => ({
        name: split,
        num_bytes: sizeBytes,
        num_examples: rows,
      })),
    }),
  };
}

function featureOf({ name, type }: ParquetColumn): object {
  const element = listElement(type);
  return element === undefined ? { name, dtype: type } : { name, sequence: element };
}

/** The Hub's size categories. */
function sizeCategory(configs: readonly DatasetConfig[]): string {
  const rows = configs.flatMap(({ splits }) => splits).reduce((sum, split) => sum + (split.rows ?? 0), 0);
  const steps = ["1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T"];
  const step = steps.findIndex((_, i) => rows < 1000 * 10 ** i);
  if (step === 0) return "n<1K";
  return step === -1 ? "n>1T" : `${steps[step - 1]}<n<${steps[step]}`;
}

function describe({ name = "default", splits, columns }: DatasetConfig, several: boolean): string {
  const lines = several ? [`## ${oneLine(name)}`, ""] : [];
  lines.push("| split | rows | files |", "| --- | ---: | --- |");
  for (const { name: split, rows, files } of splits) {
    lines.push(
      `| ${split} | ${rows ?? ""} | ${[files]
        .flat()
        .map((file) => `\`${cell(file)}\``)
        .join(" ")} |`,
    );
  }
  if (columns !== undefined) {
    lines.push("", "| column | type |", "| --- | --- |");
    lines.push(...columns.map((column) => `| ${cell(column.name)} | ${column.type} |`));
  }
  return `${lines.join("\n")}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function cell(text: string): string {
  return oneLine(text).replaceAll("|", "\\|");
}

function checkNames(configs: readonly DatasetConfig[]): void {
  const names = configs.map(({ name = "default" }) => name);
  const bad = names.find((name, i) => name === "" || /[<>:/\\|?*]/.test(name) || names.indexOf(name) !== i);
  if (bad !== undefined || names.length === 0)
    throw badName("config", bad, "differ from each other and have no <>:/\\|?*");
  for (const { splits } of configs) {
    const wrong = splits.find(({ name }, i) => {
      return !/^\w+(\.\w+)*$/.test(name) || splits.findIndex((other) => other.name === name) !== i;
    });
    if (wrong !== undefined || splits.length === 0) {
      throw badName("split", wrong?.name, "differ from each other and are made of letters, digits, _ and single dots");
    }
  }
}

function badName(kind: string, name: string | undefined, rule: string): MillraceError {
  const what = name === undefined ? `has no ${kind}` : `cannot have the ${kind} ${JSON.stringify(name)}`;
  return new MillraceError("BAD_OPTION", `The dataset card ${what}.`, { hint: `Names of a ${kind} ${rule}.` });
}
