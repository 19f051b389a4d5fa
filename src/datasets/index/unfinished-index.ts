import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../bytes/sha256.ts";
import { identify, isKnownDead } from "../../runtime/process-identity.ts";

// A builder adds a page at least every few minutes, from the slowest server too.
const silentMs = 3_600_000;

/** The path at which this process writes an index before it is whole; it names the process. */
export function unfinishedPath(path: string): string {
  const { host, pid, began } = identify();
  return `${path}.${hostMark(host)}-${pid}-${began}-${randomBytes(4).toString("hex")}.new`;
}

/**
 * Removes what dead builders of the same index have left: those of this host whose process is gone, and others that were not
 * written to for an hour by the clock of the file system. If one of those is alive after all, it builds again.
 */
export function removeUnfinished(path: string, own: string): void {
  const folder = dirname(path);
  const nowMs = statSync(own).mtimeMs;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith(".new")) continue;
    const other = join(folder, name);
    if (other !== own && (isBuilderDead(name) || isSilent(other, nowMs))) rmSync(other, { force: true });
  }
}

function isBuilderDead(name: string): boolean {
  const [, mark, pid, began = ""] = /\.([0-9a-f]{8})-(\d+)-(\d*)-[0-9a-f]{8}\.new$/.exec(name) ?? [];
  const { host } = identify();
  return mark === hostMark(host) && isKnownDead({ host, pid: Number(pid), began });
}

function isSilent(path: string, nowMs: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && nowMs - stats.mtimeMs > silentMs;
}

function hostMark(host: string): string {
  return sha256(host).slice(0, 8);
}
