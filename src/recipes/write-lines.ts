import { closeSync, openSync } from "node:fs";
import { LineSink } from "./line-sink.ts";
import { makeWhole } from "./put-file.ts";

/** Writes a text file line by line; a reader finds the complete old or the complete new file. */
export function writeLines(path: string, lines: Iterable<string>): void {
  makeWhole(path, (partial) => {
    const fd = openSync(partial, "wx");
    try {
      const sink = new LineSink(fd);
      for (const line of lines) sink.write(line);
      sink.flush();
    } finally {
      closeSync(fd);
    }
  });
}
