import { closeSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { LineSink } from "./line-sink.ts";

/** Writes a text file line by line; whoever looks finds the old one or the new one whole. */
export function writeLines(path: string, lines: Iterable<string>): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.tmp`;
  try {
    const fd = openSync(partial, "w");
    try {
      const sink = new LineSink(fd);
      for (const line of lines) sink.write(line);
      sink.flush();
    } finally {
      closeSync(fd);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
