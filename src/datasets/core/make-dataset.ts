import { MillraceError } from "../../errors/errors.ts";
import { datasetMark } from "../../plan/dataset-items.ts";
import { describeKind } from "../../values/state-json.ts";
import type { Dataset, LocalDataset, LocalRowSource, RowSource } from "../dataset.ts";
import { checkIndex } from "./check-index.ts";
import { IndexList, listIndices } from "./index-list.ts";
import { iterateRows, iterateTexts, readAll } from "./iterate-rows.ts";
import { permutation } from "./permutation.ts";
import { changeRows, orderOfList, type RowOrder, reorder } from "./source-views.ts";

/** A dataset of what a reader of a format implements. */
export function makeDataset<Row>(source: RowSource<Row>): Dataset<Row> {
  return new SourceDataset(source);
}

/** The same for files of this machine, whose rows are there at once. */
export function makeLocalDataset<Row>(source: LocalRowSource<Row>): LocalDataset<Row> {
  return new LocalSourceDataset(source);
}

class SourceDataset<Row, Source extends RowSource<Row> = RowSource<Row>> implements Dataset<Row> {
  readonly [datasetMark] = true;
  readonly isLocal: boolean = false;
  readonly length: number;
  readonly digest: string;
  readonly hasIds: boolean;
  protected readonly source: Source;

  constructor(source: Source) {
    this.source = source;
    this.length = source.length;
    this.digest = source.digest;
    this.hasIds = source.readId !== undefined;
  }

  at(index: number): Row | Promise<Row> {
    checkIndex(index, this.source);
    return this.source.readRow(index);
  }

  async get(indices: Iterable<number>): Promise<Row[]> {
    return readAll(this.source, Array.from(listIndices(indices, this.source)));
  }

  id(index: number): string | Promise<string> {
    checkIndex(index, this.source);
    return this.source.readId === undefined ? String(index) : this.source.readId(index);
  }

  get ids(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => iterateTexts(this.length, (index) => this.id(index)) };
  }

  slice(start?: number, end?: number): Dataset<Row> {
    return new SourceDataset(reorder(this.source, sliceOrder(this.source, start, end)));
  }

  select(indices: Iterable<number>): Dataset<Row> {
    return new SourceDataset(reorder(this.source, orderOfList(listIndices(indices, this.source), "select")));
  }

  map<Out>(change: (row: Row, index: number) => Out | Promise<Out>): Dataset<Out> {
    return new SourceDataset(changeRows(this.source, change));
  }

  async filter(keep: (row: Row, index: number) => boolean | Promise<boolean>): Promise<Dataset<Row>> {
    return new SourceDataset(reorder(this.source, orderOfList(await keptRows(this, keep), "filter")));
  }

  shuffle(seed: number): Dataset<Row> {
    return new SourceDataset(reorder(this.source, shuffleOrder(this.source, seed)));
  }

  [Symbol.asyncIterator](): AsyncIterator<Row> {
    return iterateRows(this.source);
  }

  async close(): Promise<void> {
    await this.source.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

class LocalSourceDataset<Row> extends SourceDataset<Row, LocalRowSource<Row>> implements LocalDataset<Row> {
  override readonly isLocal = true;

  override at(index: number): Row {
    checkIndex(index, this.source);
    return this.source.readRow(index);
  }

  override id(index: number): string {
    checkIndex(index, this.source);
    return this.source.readId === undefined ? String(index) : this.source.readId(index);
  }

  override get ids(): AsyncIterable<string> & Iterable<string> {
    const { length } = this;
    const id = (index: number) => this.id(index);
    return {
      [Symbol.asyncIterator]: () => iterateTexts(length, id),
      *[Symbol.iterator]() {
        for (let index = 0; index < length; index++) yield id(index);
      },
    };
  }

  override slice(start?: number, end?: number): LocalDataset<Row> {
    return new LocalSourceDataset(reorder(this.source, sliceOrder(this.source, start, end)));
  }

  override select(indices: Iterable<number>): LocalDataset<Row> {
    return new LocalSourceDataset(reorder(this.source, orderOfList(listIndices(indices, this.source), "select")));
  }

  override map<Out>(change: (row: Row, index: number) => Promise<Out>): Dataset<Out>;
  override map<Out>(change: (row: Row, index: number) => Out): LocalDataset<Out>;
  override map<Out>(change: (row: Row, index: number) => Out): LocalDataset<Out> {
    return new LocalSourceDataset(changeRows(this.source, change));
  }

  override async filter(keep: (row: Row, index: number) => boolean | Promise<boolean>): Promise<LocalDataset<Row>> {
    return new LocalSourceDataset(reorder(this.source, orderOfList(await keptRows(this, keep), "filter")));
  }

  override shuffle(seed: number): LocalDataset<Row> {
    return new LocalSourceDataset(reorder(this.source, shuffleOrder(this.source, seed)));
  }
}

function sliceOrder({ length }: { readonly length: number }, start = 0, end = length): RowOrder {
  for (const [name, value] of Object.entries({ start, end })) {
    if (Number.isSafeInteger(value)) continue;
    throw new MillraceError("BAD_ITEMS", `slice: ${name} is ${describeKind(value)}; a whole number was expected.`, {
      hint: "slice(start, end) counts rows from 0; negative numbers count from the end.",
    });
  }
  const place = (at: number) => Math.min(length, Math.max(0, at < 0 ? length + at : at));
  const [first, last] = [place(start), place(end)];
  return { length: Math.max(0, last - first), label: `slice ${first}-${last}`, first, at: (index) => first + index };
}

function shuffleOrder({ length }: { readonly length: number }, seed: number): RowOrder {
  if (!Number.isSafeInteger(seed)) {
    throw new MillraceError("BAD_OPTION", `shuffle: the seed is ${describeKind(seed)}; a whole number was expected.`, {
      hint: "Pass a fixed number, for instance shuffle(1): a resumed run needs the same order again.",
    });
  }
  return { length, label: `shuffle ${seed}`, at: permutation(length, seed) };
}

async function keptRows<Row>(
  rows: AsyncIterable<Row>,
  keep: (row: Row, index: number) => boolean | Promise<boolean>,
): Promise<Uint32Array | Float64Array> {
  const list = new IndexList();
  let index = 0;
  for await (const row of rows) {
    if (await keep(row, index)) list.add(index);
    index++;
  }
  return list.finish();
}
