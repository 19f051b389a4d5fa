import { closeSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type UnfinishedFolder, unfinishedPath } from "./unfinished.ts";

const flushAtCharacters = 1 << 16;

/** A text file that is written line by line and appears under its name when it is complete. */
export class LineFile {
  private readonly path: string;
  private readonly partial: string;
  private readonly fd: number;
  private text = "";

  constructor(path: string, { unfinished }: UnfinishedFolder) {
    for (const folder of [unfinished, dirname(path)]) mkdirSync(folder, { recursive: true });
    this.path = path;
    this.partial = unfinishedPath(path, unfinished);
    this.fd = openSync(this.partial, "w");
  }

  write(line: string): void {
    this.text += `${line}\n`;
    if (this.text.length >= flushAtCharacters) this.flush();
  }

  finish(): void {
    this.flush();
    closeSync(this.fd);
    renameSync(this.partial, this.path);
  }

  private flush(): void {
    const bytes = Buffer.from(this.text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at);
    this.text = "";
  }
}
