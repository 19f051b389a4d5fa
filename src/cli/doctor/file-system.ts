import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf, messageOf } from "../../errors/errors.ts";
import { fileSystemNow } from "../../run-folder/lease/take-file-step.ts";
import type { Finding } from "./finding.ts";

const gigabyte = 2 ** 30;
const clockDriftMs = 5000;

/** Checks that the file system of a folder does what a run folder needs, in a temporary subfolder. */
export function checkFileSystem(folder: string): Finding[] {
  let place: string;
  try {
    place = mkdtempSync(join(folder, ".doctor-"));
  } catch (error) {
    return [
      {
        state: "wrong",
        what: "output folder",
        detail: `${folder} cannot be written to (${errnoOf(error) ?? messageOf(error)})`,
        hint: "Choose another output_dir, or change its permissions.",
      },
    ];
  }
  try {
    return [
      { state: "fine", what: "output folder", detail: `${folder}, ${freeSpace(folder)}` },
      attempt("create exclusively", () => createExclusively(place)),
      attempt("rename a folder onto another", () => refuseOntoFull(place)),
      checkLinks(place),
      checkClock(place),
    ];
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function freeSpace(folder: string): string {
  const { bavail, bsize } = statfsSync(folder);
  return `${((bavail * bsize) / gigabyte).toFixed(1)} GB free`;
}

function attempt(what: string, act: () => string): Finding {
  try {
    return { state: "fine", what, detail: act() };
  } catch (error) {
    return {
      state: "wrong",
      what,
      detail: messageOf(error),
      hint: "Runs on this file system are not safe: choose another output_dir.",
    };
  }
}

function createExclusively(place: string): string {
  const path = join(place, "once");
  closeSync(openSync(path, "wx"));
  try {
    closeSync(openSync(path, "wx"));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return "a second one is refused";
    throw error;
  }
  throw new Error("a file was created twice");
}

/** The basis of a shard's commit: renaming a folder never replaces a folder that is not empty. */
function refuseOntoFull(place: string): string {
  for (const name of ["from", "to"]) {
    mkdirSync(join(place, name));
    writeFileSync(join(place, name, "file"), name);
  }
  try {
    renameSync(join(place, "from"), join(place, "to"));
  } catch {
    renameSync(join(place, "from"), join(place, "free"));
    return "refused if the name is taken, done if it is free";
  }
  throw new Error("a folder replaced another one that was not empty");
}

function checkLinks(place: string): Finding {
  try {
    linkSync(join(place, "once"), join(place, "twice"));
    return { state: "fine", what: "hard links", detail: "leases are links" };
  } catch {
    return { state: "note", what: "hard links", detail: "not supported; leases are copies, which is a little slower" };
  }
}

function checkClock(place: string): Finding {
  const driftMs = Math.round(fileSystemNow({ root: place, leases: place }) - Date.now());
  if (Math.abs(driftMs) < clockDriftMs)
    return { state: "fine", what: "clock", detail: `${driftMs} ms from this host's` };
  return {
    state: "note",
    what: "clock",
    detail: `the file system's is ${Math.round(driftMs / 1000)} s from this host's; only the file system's counts`,
  };
}
