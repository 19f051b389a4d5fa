import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { refuseFile } from "../../formats/refuse-file.ts";
import { openTarRows } from "../open-tar.ts";
import type { TarRows } from "../tar/tar-rows.ts";

/** One shard of a Shar folder: its manifest of cuts, and the archive with their audio. */
export interface SharShard {
  readonly cuts: string;
  readonly recordings: string | undefined;
}

const cutsName = /^cuts\.(\d+)\.jsonl(?:\.gz|\.zst)?$/;

/** The shards of a Shar folder in order; none if it is no such folder. */
export function listShards(folder: string): SharShard[] {
  const names = readdirSync(folder).filter((name) => cutsName.test(name));
  return names.sort().map((name) => {
    const archive = join(folder, `recording.${cutsName.exec(name)![1]!}.tar`);
    return { cuts: join(folder, name), recordings: existsSync(archive) ? archive : undefined };
  });
}

/** The audio of the cuts of a shard: the archive has two files for each, in the order of the manifest. */
export class SharAudio {
  private readonly rows: TarRows;

  private constructor(rows: TarRows) {
    this.rows = rows;
  }

  static async open(
    archive: string,
    options: { readonly cuts: number; readonly indexDir?: string | undefined },
  ): Promise<SharAudio> {
    const rows = await openTarRows(archive, { grouping: "pairs", indexDir: options.indexDir });
    if (rows.length === options.cuts) return new SharAudio(rows);
    await rows.close();
    throw refuseFile(
      archive,
      undefined,
      `has the audio of ${rows.length} cuts, and the manifest beside it has ${options.cuts}`,
    );
  }

  get digest(): string {
    return this.rows.digest;
  }

  /** The bytes of a cut's audio; the names in the archive must be those of the cut. */
  async read(row: number, id: string): Promise<Uint8Array> {
    return this.rows.read(row, (files) => {
      for (const file of files) {
        if (file.kind !== "file" || file.name.endsWith(".json") || file.name.endsWith(".nometa")) continue;
        const stem = file.name.slice(0, file.name.lastIndexOf("."));
        if (stem !== id)
          throw this.bad(
            file.offset,
            `has ${JSON.stringify(file.name.slice(0, 100))} where the audio of ${JSON.stringify(id.slice(0, 100))} is expected`,
          );
        if (file.name.endsWith(".nodata"))
          throw this.bad(file.offset, `has no audio of ${JSON.stringify(id.slice(0, 100))}`);
        return file.read();
      }
      throw this.rows.changed(row);
    });
  }

  close(): Promise<void> {
    return this.rows.close();
  }

  private bad(offset: number, problem: string): Error {
    return refuseFile(this.rows.name, offset, problem);
  }
}
