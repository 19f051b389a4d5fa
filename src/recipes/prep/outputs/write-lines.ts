import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const flushAtCharacters = 1 << 16;

/** Writes a text file line by line; whoever looks finds the old one or the new one whole. */
export function writeLines(path: string, lines: Iterable<string>): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.tmp`;
  try {
    const fd = openSync(partial, "w");
    try {
      let text = "";
      for (const line of lines) {
        text += `${line}\n`;
        if (text.length >= flushAtCharacters) {
          writeAll(fd, text);
          text = "";
        }
      }
      writeAll(fd, text);
    } finally {
      closeSync(fd);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
