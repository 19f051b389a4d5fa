import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

// O_NONBLOCK: opening a pipe must not wait for a writer. The pipe is refused afterwards.
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file that is open for reading. */
export interface OpenedFile {
  stat(): Stats | Promise<Stats>;
  /** Fills the buffer from `offset` on. Returns the number of bytes, 0 at the end. */
  read(into: Uint8Array, offset: number): number | Promise<number>;
  close(): void | Promise<void>;
}

/**
 * Opens a file. A file on a local disk is read synchronously: passing an utterance of some hundred kilobytes to another
 * thread and waiting takes as long as decoding it. A file on a network is read asynchronously while others are read.
 */
export async function openFile(path: string): Promise<OpenedFile> {
  if (isOnThisMachine(dirname(path))) return openHere(path);
  const file = await open(path, flags);
  return {
    stat: () => file.stat(),
    read: async (into, offset) => (await file.read(into, 0, into.length, offset)).bytesRead,
    close: () => file.close(),
  };
}

function openHere(path: string): OpenedFile {
  const fd = openSync(path, flags);
  return {
    stat: () => fstatSync(fd),
    read: (into, offset) => readSync(fd, into, 0, into.length, offset),
    close: () => closeSync(fd),
  };
}

// The statfs types of Linux file systems on disks or in memory: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs.
const kindsOfThisMachine = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]);
const known = new Map<string, boolean>();
// There are as many folders as speakers and chapters; the cache is cleared before it fills the memory.
const maxKnown = 10_000;

function isOnThisMachine(folder: string): boolean {
  let answer = known.get(folder);
  if (answer === undefined) {
    answer = isKindOfThisMachine(folder);
    if (known.size >= maxKnown) known.clear();
    known.set(folder, answer);
  }
  return answer;
}

function isKindOfThisMachine(folder: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return kindsOfThisMachine.has(statfsSync(folder).type);
  } catch {
    // Opening the file gives a better error.
    return false;
  }
}
