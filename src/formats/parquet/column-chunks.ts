import type { ColumnData } from "hyparquet";

type Chunk = Pick<ColumnData, "columnData" | "rowStart">;

/** The values of a group by column, from which rows are created one by one. */
export class ColumnChunks {
  private readonly byName: ReadonlyMap<string, Chunk[]>;

  private readonly nested: ReadonlySet<string>;

  /** `nested`: those of the columns that are lists, structs or maps. */
  constructor(names: readonly string[], nested: ReadonlySet<string>) {
    this.byName = new Map(names.map((name) => [name, []]));
    this.nested = nested;
  }

  add({ columnName, columnData, rowStart }: ColumnData): void {
    const chunks = this.byName.get(columnName);
    const last = chunks?.at(-1);
    if (this.nested.has(columnName)) for (const value of columnData) fillNulls(value);
    // They come in order. A schema with two columns of one name gives the first of them twice.
    if (last === undefined || rowStart > last.rowStart) chunks?.push({ columnData, rowStart });
  }

  *rows<Row>(count: number): Generator<Row> {
    for (let index = 0; index < count; index++) yield this.row<Row>(index);
  }

  /** One row. */
  row<Row>(index: number): Row {
    const row: Record<string, unknown> = {};
    for (const [name, chunks] of this.byName) {
      const value = valueIn(chunks, index);
      // An assignment would change the prototype.
      if (name === "__proto__") Object.defineProperty(row, name, { value, ...plainProperty });
      else row[name] = value;
    }
    return row as Row;
  }

  /** One value; undefined if the column was not read. */
  value(name: string, index: number): unknown {
    const chunks = this.byName.get(name);
    return chunks === undefined ? undefined : valueIn(chunks, index);
  }
}

const plainProperty = { enumerable: true, configurable: true, writable: true };

/** Missing values become null: the library has null in some cases and undefined in others. */
function valueIn(chunks: readonly Chunk[], index: number): unknown {
  const chunk = chunkAt(chunks, index);
  return chunk?.columnData[index - chunk.rowStart] ?? null;
}

/** Within lists and structs, too, a missing value is null. */
function fillNulls(value: unknown): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (value[i] === undefined) value[i] = null;
      else fillNulls(value[i]);
    }
  } else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Date)) {
    const struct = value as Record<string, unknown>;
    for (const key of Object.keys(struct)) {
      if (struct[key] === undefined) struct[key] = null;
      else fillNulls(struct[key]);
    }
  }
}

/** The chunk of a row: usually the only one, otherwise found by halving. */
function chunkAt(chunks: readonly Chunk[], index: number): Chunk | undefined {
  let [low, high] = [0, chunks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (chunks[middle]!.rowStart <= index) low = middle;
    else high = middle - 1;
  }
  return chunks[low];
}
