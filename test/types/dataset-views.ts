// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { defineRun, shape } from "millrace";
import {
  concatDatasets,
  type Dataset,
  isDataset,
  type KaldiUtterance,
  type LocalDataset,
  openJsonl,
  openKaldi,
  openParquet,
} from "millrace/datasets";
import { same } from "./same.ts";

interface Row {
  readonly id: string;
  readonly text: string;
}

// Rows of files are there at once; those of addresses are awaited.
const rows = await openJsonl<Row>("train.jsonl", { id: "id" });
same<typeof rows, LocalDataset<Row>>(true);
same<ReturnType<typeof rows.at>, Row>(true);
const remote = await openJsonl<Row>("https://host/train.jsonl", { remote: true });
same<typeof remote, Dataset<Row>>(true);
// @ts-expect-error: a row of an address may be a promise
remote.at(0).text;
(await remote.at(0)).text.trim();
const table = await openParquet<Row>("train.parquet", { columns: ["id", "text"] });
// @ts-expect-error: a row of Parquet may be a promise
table.at(0).text;
// @ts-expect-error: there is no such option
await openJsonl<Row>("train.jsonl", { ids: "id" });
// @ts-expect-error: columns are a list
await openParquet("train.parquet", { columns: "id" });

// A shape gives rows their type.
const shaped = await openJsonl("train.jsonl", { row: shape.object({ id: shape.string(), n: shape.int() }) });
shaped.at(0).n.toFixed();
// @ts-expect-error: rows have no such key
shaped.at(0).text;

const kaldi = await openKaldi("data/train", { commands: ["sph2pipe"] });
same<typeof kaldi, LocalDataset<KaldiUtterance>>(true);
// @ts-expect-error: a config cannot allow commands
await openKaldi({ path: "data/train", commands: ["sph2pipe"] });

// Views keep what is known: map changes the row, a promise makes it one that is awaited.
same<ReturnType<typeof rows.select>, LocalDataset<Row>>(true);
same<Awaited<ReturnType<typeof rows.filter>>, LocalDataset<Row>>(true);
const lengths = rows.map(({ text }) => text.length);
same<typeof lengths, LocalDataset<number>>(true);
const later = rows.map(async ({ text }) => text.length);
same<typeof later, Dataset<number>>(true);
// @ts-expect-error: rows have no such key
rows.map(({ txt }) => txt);
// @ts-expect-error: indices are numbers
rows.select(["a"]);
// @ts-expect-error: what is kept is said with true or false
await rows.filter(({ text }) => text);
// @ts-expect-error: the seed is a number
rows.shuffle("1");
same<ReturnType<typeof concatDatasets<Row>>, Dataset<Row>>(true);
concatDatasets([rows, rows]).at(0).text.trim();
// @ts-expect-error: one part is not there at once
concatDatasets([rows, remote]).at(0).text;

const unknown: unknown = rows;
if (isDataset(unknown)) unknown.digest.trim();

// A run takes a dataset where it takes a range; its items are indices.
const run = defineRun(import.meta, {
  env: ({ corpus }: { readonly corpus: string }) => ({ dataset: openJsonl<Row>(corpus) }),
  forward: (idx, { dataset }) => dataset.at(idx).text.length,
});
export const results = run.run(rows, { config: { corpus: "train.jsonl" } });
same<Awaited<typeof results>[number], number>(true);
await run.run(remote.slice(0, 10), { config: { corpus: "train.jsonl" } });
// @ts-expect-error: rows are no items
await run.run(["a", "b"], { config: { corpus: "train.jsonl" } });
// @ts-expect-error: a promise of a dataset is none
await run.run(openJsonl<Row>("train.jsonl"), { config: { corpus: "train.jsonl" } });
