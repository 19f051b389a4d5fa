import type { ParquetGroup } from "../../formats/parquet/parquet-groups.ts";

/** Decoded groups, up to a number of bytes; the one that was used longest ago is dropped first. */
export class GroupCache {
  private readonly maxBytes: number;
  private readonly read: (group: number) => Promise<ParquetGroup>;
  private readonly groups = new Map<number, ParquetGroup>();
  private readonly reading = new Map<number, Promise<ParquetGroup>>();
  private bytes = 0;

  constructor(maxBytes: number, read: (group: number) => Promise<ParquetGroup>) {
    this.maxBytes = maxBytes;
    this.read = read;
  }

  /** The group if it is here, otherwise a promise: rows that are asked for together wait for one read. */
  get(number: number): ParquetGroup | Promise<ParquetGroup> {
    const group = this.groups.get(number);
    if (group === undefined) return this.reading.get(number) ?? this.load(number);
    this.groups.delete(number);
    this.groups.set(number, group);
    return group;
  }

  clear(): void {
    this.groups.clear();
    this.bytes = 0;
  }

  private load(number: number): Promise<ParquetGroup> {
    const loading = this.read(number)
      .then((group) => {
        this.keep(number, group);
        return group;
      })
      .finally(() => this.reading.delete(number));
    this.reading.set(number, loading);
    return loading;
  }

  private keep(number: number, group: ParquetGroup): void {
    this.groups.set(number, group);
    this.bytes += group.bytes;
    for (const [oldest, { bytes }] of this.groups) {
      // The newest stays, however large it is: its rows are about to be read.
      if (this.bytes <= this.maxBytes || oldest === number) break;
      this.groups.delete(oldest);
      this.bytes -= bytes;
    }
  }
}
