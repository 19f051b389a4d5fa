import { statfsSync } from "node:fs";
import { errnoOf, messageOf } from "../../errors/errors.ts";
import { type FileSystem, fileSystemOf } from "../../run-folder/files/file-system.ts";
import { type Ability, type FileSystemProbe, probeFileSystem } from "../../run-folder/files/probe-file-system.ts";
import type { Finding } from "./finding.ts";

const gigabyte = 2 ** 30;
const clockDriftMs = 5000;
// A local file system takes 0.05 ms, an idle NFS server in the same building about 1 ms.
const slowMs = 5;
// A shard opens, creates, renames and removes about as much as that many reads; measured at 5 to 50 ms a call.
const readsPerShard = 12;

/** Measures what the file system of a folder can do, in a subfolder that is removed, and says whether a run can use it. */
export function checkFileSystem(folder: string): Finding[] {
  const system = fileSystemOf(folder);
  let probe: FileSystemProbe;
  try {
    probe = probeFileSystem(folder);
  } catch (error) {
    const detail = `${folder} cannot be written to (${errnoOf(error) ?? messageOf(error)})`;
    const hint = "Choose another output_dir, or change its permissions.";
    return [{ state: "wrong", what: "output folder", detail, hint }];
  }
  return [
    { state: "fine", what: "output folder", detail: `${folder}, ${freeSpace(folder)}` },
    { state: "fine", what: "file system", detail: describeSystem(system) },
    ...checkAbilities(probe),
    checkSpeed(probe),
    checkClock(probe),
    judge(probe, system),
  ];
}

function freeSpace(folder: string): string {
  const { bavail, bsize } = statfsSync(folder);
  return `${((bavail * bsize) / gigabyte).toFixed(1)} GB free`;
}

function describeSystem({ type, mount, isLocal }: FileSystem): string {
  const where = mount === "" ? type : `${type}, mounted at ${mount}`;
  return isLocal ? `${where}; only this host uses it` : `${where}; other hosts may use it too`;
}

function checkAbilities({ abilities }: FileSystemProbe): Finding[] {
  const there = abilities.filter(({ missing }) => missing === undefined).map(({ name }) => name);
  return [
    { state: "fine", what: "abilities", detail: there.join(", ") },
    ...abilities.flatMap(({ name, isNeeded, missing }): Finding[] => {
      if (missing === undefined) return [];
      if (isNeeded) return [{ state: "wrong", what: name, detail: missing }];
      return [{ state: "note", what: name, detail: `${missing}; runs do without it, a little slower` }];
    }),
  ];
}

function checkSpeed({ readMs }: FileSystemProbe): Finding {
  const each = `${readMs < 1 ? readMs.toFixed(2) : readMs.toFixed(0)} ms to read a small file`;
  if (readMs < slowMs) return { state: "fine", what: "speed", detail: each };
  const seconds = (readMs * readsPerShard) / 1000;
  return {
    state: "note",
    what: "speed",
    detail: `${each}: a shard takes about ${seconds.toFixed(1)} s longer`,
    hint: `Let a shard take at least ${Math.ceil(10 * seconds)} s (\`shards\`), and read datasets from a faster place.`,
  };
}

function checkClock({ clockAheadMs, timeStepMs }: FileSystemProbe): Finding {
  const steps = timeStepMs > 1 ? `, in steps of ${timeStepMs} ms` : "";
  if (Math.abs(clockAheadMs) < clockDriftMs)
    return { state: "fine", what: "clock", detail: `${clockAheadMs} ms from this host's${steps}` };
  const seconds = Math.round(clockAheadMs / 1000);
  return {
    state: "note",
    what: "clock",
    detail: `the file system's is ${seconds} s from this host's${steps}; only the file system's counts`,
  };
}

function judge({ abilities, readMs }: FileSystemProbe, { isLocal }: FileSystem): Finding {
  const isLacking = ({ isNeeded, missing }: Ability) => isNeeded && missing !== undefined;
  if (abilities.some(isLacking)) {
    return {
      state: "wrong",
      what: "verdict",
      detail: "no run can use this folder",
      hint: "Choose an output_dir on another file system. `millrace explain STORE_UNFIT` says more.",
    };
  }
  const hosts = isLocal ? "runs on this host can use it" : "runs can use it, also from many hosts";
  return { state: "fine", what: "verdict", detail: readMs < slowMs ? hosts : `${hosts}; it is slow` };
}
