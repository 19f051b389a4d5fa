import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { LineSink } from "../../line-sink.ts";
import { type UnfinishedFolder, unfinishedPath } from "./unfinished.ts";

/** A text file that is written line by line and appears under its name when it is complete. */
export class LineFile {
  private readonly path: string;
  private readonly partial: string;
  private readonly fd: number;
  private readonly lines: LineSink;

  constructor(path: string, { unfinished }: UnfinishedFolder) {
    for (const folder of [unfinished, dirname(path)]) mkdirSync(folder, { recursive: true });
    this.path = path;
    this.partial = unfinishedPath(path, unfinished);
    this.fd = openSync(this.partial, "wx");
    this.lines = new LineSink(this.fd);
  }

  write(line: string): void {
    this.lines.write(line);
  }

  finish(): void {
    this.lines.flush();
    closeSync(this.fd);
    renameSync(this.partial, this.path);
  }
}
