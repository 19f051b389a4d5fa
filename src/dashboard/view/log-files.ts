import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { isMissing } from "../../store/durable-files.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { namesIn } from "../../store/scan-shards.ts";
import type { LogEntry, LogPiece } from "../run-view.ts";

const pieceBytes = 1 << 16;

/** The logs of a run: plain files in its folder. Links could lead out of it, and are left out. */
export function listLogs(paths: RunPaths): LogEntry[] {
  const folder = logFolder(paths);
  if (folder === undefined) return [];
  return namesIn(folder)
    .sort()
    .flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
      return stat?.isFile() ? [{ name, bytes: stat.size }] : [];
    });
}

/** A piece of a log from an offset on; a negative one counts from its end. Undefined where there is no such log. */
export function readLog(paths: RunPaths, name: string, from: number, most: number = pieceBytes): LogPiece | undefined {
  const folder = logFolder(paths);
  // Only what a listing has found is opened: no name from an address becomes part of a path.
  const known = folder === undefined ? undefined : namesIn(folder).find((one) => one === name);
  if (folder === undefined || known === undefined) return undefined;
  let fd: number;
  try {
    fd = openSync(join(folder, known), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
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

/** The folder of the logs, unless it leads out of the run folder. */
function logFolder(paths: RunPaths): string | undefined {
  try {
    const folder = realpathSync(paths.logs);
    return folder.startsWith(realpathSync(paths.root) + sep) ? folder : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A piece may begin and end within a character: the bytes of the whole ones. */
function wholeCharacters(bytes: Buffer, { isWhole }: { readonly isWhole: boolean }): [first: number, end: number] {
  const isContinuation = (at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80;
  let first = 0;
  if (!isWhole) while (first < Math.min(3, bytes.length) && isContinuation(first)) first++;
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && lead > first && isContinuation(lead)) lead--;
  const byte = bytes[lead] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  const isCut = lead >= first && lead + length > bytes.length;
  // Of a log that is nothing but a broken character the next piece would never begin.
  return [first, isCut && lead > first ? lead : bytes.length];
}
