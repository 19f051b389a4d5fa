import type { ColumnData } from "hyparquet";

type Chunk = Pick<ColumnData, "columnData" | "rowStart">;

/** The values of a group by column, from which rows are created one by one. */
export class ColumnChunks {
  private readonly byName: ReadonlyMap<string, Chunk[]>;

  constructor(names: readonly string[]) {
    this.byName = new Map(names.map((name) => [name, []]));
  }

  add({ columnName, columnData, rowStart }: ColumnData): void {
    const chunks = this.byName.get(columnName);
    const last = chunks?.at(-1);
    // They come in order. A schema with two columns of one name gives the first of them twice.
    if (last === undefined || rowStart > last.rowStart) chunks?.push({ columnData, rowStart });
  }

  *rows<Row>(count: number): Generator<Row> {
    for (let index = 0; index < count; index++) yield this.row<Row>(index);
  }

  /** One row. Missing values become null: the library has null in some cases and undefined in others. */
  row<Row>(index: number): Row {
    const row: Record<string, unknown> = {};
    for (const [name, chunks] of this.byName) {
      const chunk = chunkAt(chunks, index);
      const value: unknown = chunk?.columnData[index - chunk.rowStart] ?? null;
      // An assignment would change the prototype.
      if (name === "__proto__")
        Object.defineProperty(row, name, { value, enumerable: true, configurable: true, writable: true });
      else row[name] = value;
    }
    return row as Row;
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
