import type { ParquetGroup } from "../../formats/parquet/parquet-groups.ts";

/** The memory for decoded row groups, unless the user says another. */
export const groupCacheBytes: number = 256 * 2 ** 20;

/** A file in the cache: how a group of it is read. */
export interface CachedFile {
  /** The group if it is here, otherwise a promise: rows that are asked for together wait for one read. */
  get(group: number): ParquetGroup | Promise<ParquetGroup>;
  clear(): void;
}

// A file has fewer groups: its footer would be larger than 2 GiB otherwise.
const maxGroups = 2 ** 32;

/** Decoded groups of one or several files, up to a number of bytes; the one that was used longest ago is dropped first. */
export class GroupCache {
  private readonly maxBytes: number;
  private readonly groups = new Map<number, ParquetGroup>();
  private bytes = 0;
  private files = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  addFile(read: (group: number) => Promise<ParquetGroup>): CachedFile {
    const first = this.files++ * maxGroups;
    const reading = new Map<number, Promise<ParquetGroup>>();
    const load = (number: number): Promise<ParquetGroup> => {
      const loading = read(number)
        .then((group) => {
          this.keep(first + number, group);
          return group;
        })
        .finally(() => reading.delete(number));
      reading.set(number, loading);
      return loading;
    };
    return {
      get: (number) => this.use(first + number) ?? reading.get(number) ?? load(number),
      clear: () => {
        for (const key of [...this.groups.keys()]) if (key >= first && key < first + maxGroups) this.drop(key);
      },
    };
  }

  private use(key: number): ParquetGroup | undefined {
    const group = this.groups.get(key);
    if (group === undefined) return undefined;
    this.groups.delete(key);
    this.groups.set(key, group);
    return group;
  }

  private keep(key: number, group: ParquetGroup): void {
    this.groups.set(key, group);
    this.bytes += group.bytes;
    for (const oldest of this.groups.keys()) {
      // The newest stays, however large it is: its rows are about to be read.
      if (this.bytes <= this.maxBytes || oldest === key) break;
      this.drop(oldest);
    }
  }

  private drop(key: number): void {
    this.bytes -= this.groups.get(key)!.bytes;
    this.groups.delete(key);
  }
}
