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

  /** Missing values become null: the library has null in some cases and undefined in others. */
  *rows<Row>(count: number): Generator<Row> {
    const columns = [...this.byName].map(([name, chunks]) => ({ name, chunks, at: 0 }));
    for (let index = 0; index < count; index++) {
      const row: Record<string, unknown> = {};
      for (const column of columns) {
        let chunk = column.chunks[column.at];
        if (chunk !== undefined && index >= chunk.rowStart + chunk.columnData.length)
          chunk = column.chunks[++column.at];
        row[column.name] = chunk?.columnData[index - chunk.rowStart] ?? null;
      }
      yield row as Row;
    }
  }
}
