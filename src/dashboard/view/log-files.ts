import { closeSync, lstatSync, readSync } from "node:fs";
import { join } from "node:path";
import { logFolder, openLog, whyLogRefused } from "../../run-folder/files/open-log.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { namesIn } from "../../run-folder/run/scan-shards.ts";
import type { LogEntry, LogPiece } from "../run-view.ts";

const pieceBytes = 1 << 16;

/** The logs of a run: plain files in its folder. Links could point outside and are skipped. */
export function listLogs(paths: RunPaths): LogEntry[] {
  const folder = logFolder(paths);
  if (folder === undefined) return [];
  return namesIn(folder)
    .sort()
    .flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stat === undefined || whyLogRefused(stat) !== undefined ? [] : [{ name, bytes: stat.size }];
    });
}

/** A piece of a log from an offset on; a negative one is relative to its end. Undefined if there is no such log. */
export function readLog(paths: RunPaths, name: string, from: number, most: number = pieceBytes): LogPiece | undefined {
  const folder = logFolder(paths);
  // Only listed files are opened: no name from a URL becomes part of a path.
  const known = folder === undefined ? undefined : namesIn(folder).find((one) => one === name);
  if (folder === undefined || known === undefined) return undefined;
  const opened = openLog(join(folder, known));
  if (opened === undefined || "refused" in opened) return undefined;
  const { fd, stat } = opened;
  try {
    const start = Math.min(stat.size, from < 0 ? Math.max(0, stat.size + from) : from);
    const buffer = Buffer.alloc(Math.max(0, Math.min(most, stat.size - start)));
    const read = readSync(fd, buffer, 0, buffer.length, start);
    const [first, end] = wholeCharacters(buffer.subarray(0, read), { isWhole: start === 0 });
    return {
      text: buffer.toString("utf8", first, end),
      from: start + first,
      next: start + end,
      bytes: stat.size,
    };
  } finally {
    closeSync(fd);
  }
}

/** A piece may begin and end within a character: returns the bytes of complete ones. */
function wholeCharacters(bytes: Buffer, { isWhole }: { readonly isWhole: boolean }): [first: number, end: number] {
  const isContinuation = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let first = 0;
  if (!isWhole) while (first < Math.min(3, bytes.length) && isContinuation(first)) first++;
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && lead > first && isContinuation(lead)) lead--;
  const byte = bytes[lead] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  const isCut = lead >= first && lead + length > bytes.length;
  // Otherwise reading a log that is only a broken character would never advance.
  return [first, isCut && lead > first ? lead : bytes.length];
}
