import { sha256 } from "../bytes/sha256.ts";
import { MillraceError } from "../errors/errors.ts";
import { openParquetGroups, type ParquetGroup, type ParquetGroups } from "../formats/parquet/parquet-groups.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import { nearestName } from "../text/nearest-name.ts";
import { makeDataset } from "./core/make-dataset.ts";
import { type OpenerSection, readOpenerArguments } from "./core/opener-arguments.ts";
import type { Dataset, RowSource } from "./dataset.ts";
import { type CachedFile, GroupCache, groupCacheBytes } from "./parquet/group-cache.ts";
import type { ByteStore } from "./source/byte-store.ts";
import { openStore } from "./source/open-store.ts";

/** Options of {@link openParquet}. */
export interface OpenParquetOptions {
  /** The columns that rows have; no other bytes are read. Default: all. */
  readonly columns?: readonly string[];
  /** The column that holds the id of a row, a text or a whole number. Default: the index is the id. */
  readonly id?: string;
  /** The memory for decoded row groups, in bytes; the last one read is kept in any case. Default: 256 MiB. */
  readonly cacheBytes?: number;
  /** The maximum number of rows of a group, which is decoded as a whole. Default: 4,194,304. */
  readonly maxGroupRows?: number;
  /** The maximum memory of one decoded group, in bytes. Default: the larger of 64 MiB and 100 times the file. */
  readonly maxOutputBytes?: number;
  /** The path is, or may be, an address: `https://`, `s3://` or `hf://`. */
  readonly remote?: true;
}

const known = ["columns", "id", "cacheBytes", "maxGroupRows", "maxOutputBytes", "remote"] as const;

/**
 * Opens a Parquet file: row groups are read and decoded when a row of them is asked for. int64 is bigint, binary is
 * Uint8Array, structs are objects and lists are arrays, so that an `Audio` or `Image` of Hugging Face is
 * `{ bytes, path }`. Neighbouring rows are cheap, rows in a random order decode a group each.
 *
 * ```ts
 * await using rows = await openParquet<{ id: string; n: bigint }>("train.parquet", { columns: ["id", "n"] });
 * (await rows.at(7)).id;
 * ```
 */
export async function openParquet<Row = Record<string, unknown>>(
  path: string | OpenerSection<OpenParquetOptions>,
  options?: OpenParquetOptions,
): Promise<Dataset<Row>> {
  const given = readOpenerArguments<OpenParquetOptions>("openParquet", [path, options], known);
  return openParquetWith<Row>(given.path, given.options, new GroupCache(given.options.cacheBytes ?? groupCacheBytes));
}

/** Opens one of several files that share the memory for their groups. */
export async function openParquetWith<Row>(
  path: string,
  options: OpenParquetOptions,
  cache: GroupCache,
): Promise<Dataset<Row>> {
  const store = await openStore(path);
  try {
    return makeDataset(await parquetRows<Row>(store, options, cache));
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The rows of a file that is open; closing them closes it. */
async function parquetRows<Row>(
  store: ByteStore,
  options: OpenParquetOptions,
  cache: GroupCache,
): Promise<RowSource<Row>> {
  const { columns, id } = options;
  const read = columns === undefined || id === undefined || columns.includes(id) ? columns : [...columns, id];
  const { columns: _columns, ...limits } = options;
  const groups = await openParquetGroups(store, { ...limits, ...(read !== undefined && { columns: read }) });
  requireColumns(store.name, groups, [...(columns ?? []), ...(id === undefined ? [] : [id])]);
  return new ParquetRows<Row>(store, groups, { id, cache, isIdHidden: read !== columns });
}

interface ParquetRowsOptions {
  readonly id: string | undefined;
  readonly cache: GroupCache;
  /** Whether the column of the id is read for that alone. */
  readonly isIdHidden: boolean;
}

class ParquetRows<Row> implements RowSource<Row> {
  readonly name: string;
  readonly length: number;
  readonly digest: string;
  readonly readId?: (index: number) => string | Promise<string>;
  private readonly store: ByteStore;
  private readonly starts: readonly number[];
  private readonly cache: CachedFile;
  private readonly hidden: string | undefined;

  constructor(store: ByteStore, groups: ParquetGroups, { id, cache, isIdHidden }: ParquetRowsOptions) {
    this.store = store;
    this.name = store.name;
    let length = 0;
    this.starts = groups.rowCounts.map((rows) => {
      length += rows;
      return length - rows;
    });
    this.length = length;
    // The footer has the offsets, sizes and statistics of all columns.
    this.digest = `parquet ${store.size} ${sha256(groups.footer).slice(0, 32)}`;
    this.cache = cache.addFile((group) => groups.readGroup(group));
    this.hidden = isIdHidden ? id : undefined;
    if (id !== undefined) this.readId = (index) => this.withGroup(index, (group, row) => this.idIn(group, row, id));
  }

  readRow(index: number): Row | Promise<Row> {
    return this.withGroup(index, (group, row) => this.rowIn(group, row));
  }

  async readRows(indices: readonly number[]): Promise<Row[]> {
    const rows = new Array<Row>(indices.length);
    // Group by group, so that a small cache does not decode one twice.
    const order = indices.map((_, at) => at).sort((a, b) => indices[a]! - indices[b]!);
    for (const at of order) {
      const row = this.readRow(indices[at]!);
      rows[at] = isThenable(row) ? await row : row;
    }
    return rows;
  }

  async close(): Promise<void> {
    this.cache.clear();
    await this.store.close();
  }

  private withGroup<T>(index: number, use: (group: ParquetGroup, row: number) => T): T | Promise<T> {
    const number = groupOf(this.starts, index);
    const row = index - this.starts[number]!;
    const group = this.cache.get(number);
    return isThenable(group) ? Promise.resolve(group).then((come) => use(come, row)) : use(group, row);
  }

  private rowIn({ chunks }: ParquetGroup, index: number): Row {
    const row = chunks.row<Record<string, unknown>>(index);
    if (this.hidden !== undefined) delete row[this.hidden];
    return row as Row;
  }

  private idIn({ chunks }: ParquetGroup, row: number, column: string): string {
    const id = chunks.value(column, row);
    if (typeof id === "string" || typeof id === "bigint" || Number.isSafeInteger(id)) return String(id);
    throw new MillraceError("BAD_FILE", `${this.name}: a row has no text or whole number as its ${column}.`, {
      hint: "Choose another column with { id }, or leave it out: then the index of a row is its id.",
    });
  }
}

/** The last group that begins at the index or before it; groups may be empty. */
function groupOf(starts: readonly number[], index: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

function requireColumns(file: string, { names }: ParquetGroups, asked: readonly string[]): void {
  const missing = asked.find((name) => !names.includes(name));
  if (missing === undefined) return;
  const near = nearestName(missing, [...names]);
  throw new MillraceError("BAD_OPTION", `openParquet: ${file} has no column ${JSON.stringify(missing)}.`, {
    hint: `${near === undefined ? "" : `Did you mean ${near}? `}The columns are ${names.slice(0, 50).join(", ")}.`,
  });
}
