/** The positions of the map's cells: square, row by row, in tiles of whole rows that are drawn one by one. */
export interface MapLayout {
  readonly shards: number;
  /** Width and height of a cell with its gap, in pixels. */
  readonly cell: number;
  readonly columns: number;
  readonly rows: number;
  readonly rowsPerTile: number;
  readonly tiles: number;
  readonly height: number;
}

const cellSizes = [26, 22, 18, 16, 14, 12, 11, 10] as const;
const comfortableHeight = 420;
const tileHeight = 256;

/** The largest cells that keep the map at a comfortable height, but never too small to click. */
export function layoutMap(shards: number, width: number): MapLayout {
  const columnsAt = (cell: number) => Math.max(1, Math.floor(width / cell));
  const rowsAt = (cell: number) => Math.ceil(shards / columnsAt(cell));
  const cell = cellSizes.find((size) => rowsAt(size) * size <= comfortableHeight) ?? cellSizes.at(-1)!;
  const rowsPerTile = Math.ceil(tileHeight / cell);
  const rows = rowsAt(cell);
  return {
    shards,
    cell,
    columns: columnsAt(cell),
    rows,
    rowsPerTile,
    tiles: Math.ceil(rows / rowsPerTile),
    height: rows * cell,
  };
}

/** The position of a shard's cell, relative to the map's upper left corner. */
export function cellPlace({ columns, cell }: MapLayout, shard: number): { readonly x: number; readonly y: number } {
  return { x: (shard % columns) * cell, y: Math.floor(shard / columns) * cell };
}

/** The shard at a point of the map, if there is one. */
export function shardAt({ columns, cell, shards }: MapLayout, x: number, y: number): number | undefined {
  const column = Math.floor(x / cell);
  if (column < 0 || column >= columns || y < 0) return undefined;
  const shard = Math.floor(y / cell) * columns + column;
  return shard < shards ? shard : undefined;
}

/** The shards of a tile: from (inclusive) to (exclusive). */
export function tileShards(layout: MapLayout, tile: number): { readonly from: number; readonly to: number } {
  const each = layout.rowsPerTile * layout.columns;
  return { from: tile * each, to: Math.min(layout.shards, (tile + 1) * each) };
}

/** The shard that a key selects; undefined for a key without effect. */
export function shardByKey({ columns, shards }: MapLayout, shard: number, key: string): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
    PageUp: -10 * columns,
    PageDown: 10 * columns,
  };
  if (key === "Home") return 0;
  if (key === "End") return shards - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  const next = shard + step;
  if (next >= 0 && next < shards) return next;
  // Page keys stop at the edge; a single step stays in its column.
  return Math.abs(step) > columns ? Math.min(Math.max(next, 0), shards - 1) : shard;
}
