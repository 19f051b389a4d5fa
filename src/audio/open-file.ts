import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statfsSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";

// Without waiting for someone to write into it, should it be a pipe: then it is refused by its kind.
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file that is open for reading, however its bytes are asked for. */
export interface OpenedFile {
  stat(): Stats | Promise<Stats>;
  /** Fills the buffer from `offset` on; answers how many bytes came, 0 at the end. */
  read(into: Uint8Array, offset: number): number | Promise<number>;
  close(): void | Promise<void>;
}

/**
 * Opens a file. One on a disk of this machine is read at once: handing an utterance of some hundred kilobytes to another
 * thread and waiting for it takes as long as decoding it. One on a network may take its time while others are read.
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

// What statfs says of the file systems of Linux that are disks or memory: ext, xfs, btrfs, tmpfs, overlay, f2fs, zfs.
const kindsOfThisMachine = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1]);
const known = new Map<string, boolean>();
// Folders are as many as speakers and chapters, and forgotten before they fill the memory.
const mostKnown = 10_000;

function isOnThisMachine(folder: string): boolean {
  let answer = known.get(folder);
  if (answer === undefined) {
    answer = isKindOfThisMachine(folder);
    if (known.size >= mostKnown) known.clear();
    known.set(folder, answer);
  }
  return answer;
}

function isKindOfThisMachine(folder: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return kindsOfThisMachine.has(statfsSync(folder).type);
  } catch {
    // Opening the file says better what is wrong.
    return false;
  }
}
