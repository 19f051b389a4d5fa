import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join, relative, resolve, sep } from "node:path";
import { MillraceError } from "../errors/errors.ts";

const unmappedUser = 65534;

/**
 * Refuses paths that another user owns or that anyone can write to, before code that they name is run, like git's
 * `safe.directory`. `folder` is what the user can trust as a whole. Nothing is refused if there are no user ids
 * (Windows).
 */
export function requireTrust(places: readonly string[], folder: string): void {
  const users = trustedUsers();
  if (users === undefined) return;
  for (const place of places) {
    // A link of another user can point anywhere.
    const link = lstatSync(place, { throwIfNoEntry: false });
    const file = link?.isSymbolicLink() ? statSync(place, { throwIfNoEntry: false }) : link;
    const why = reasonAgainst(place, link, users) ?? reasonAgainst(place, file, users);
    if (why === undefined || isTrusted(place)) continue;
    throw new MillraceError("NOT_TRUSTED", `${why}: the code that it names would run with your rights.`, {
      hint: `If you trust everyone who can write there, add --trust, or put ${folder} into MILLRACE_TRUSTED or on a line of ${listFile()}.`,
    });
  }
}

/** This user, root (who can do everything anyway), and with sudo the user who called it. */
function trustedUsers(): ReadonlySet<number> | undefined {
  const userId = process.geteuid?.();
  if (userId === undefined) return undefined;
  const behindSudo = userId === 0 ? process.env["SUDO_UID"] : undefined;
  return new Set([userId, 0, ...(/^\d+$/.test(behindSudo ?? "") ? [Number(behindSudo)] : [])]);
}

function reasonAgainst(place: string, stats: Stats | undefined, users: ReadonlySet<number>): string | undefined {
  if (stats === undefined) return undefined;
  if (!users.has(stats.uid)) {
    const who =
      stats.uid === unmappedUser ? "65534, which network file systems show for users they do not know" : stats.uid;
    return `${place} belongs to another user (${who})`;
  }
  // In a sticky folder such as /tmp, other users can add files but not replace any. Members of the group are trusted.
  const isOpen =
    !stats.isSymbolicLink() && (stats.mode & 0o002) !== 0 && !(stats.isDirectory() && (stats.mode & 0o1000) !== 0);
  return isOpen ? `Anyone can write to ${place}` : undefined;
}

function isTrusted(place: string): boolean {
  const path = realpathSync(place);
  return trustedFolders().some((folder) => {
    const way = relative(folder, path);
    return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

function trustedFolders(): string[] {
  const listed = [...(process.env["MILLRACE_TRUSTED"] ?? "").split(delimiter), ...linesOf(listFile())];
  return listed.filter((folder) => isAbsolute(folder)).map(realPath);
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function listFile(): string {
  const configs = process.env["XDG_CONFIG_HOME"];
  return join(
    configs !== undefined && isAbsolute(configs) ? configs : join(homedir(), ".config"),
    "millrace",
    "trusted",
  );
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim());
  } catch {
    return [];
  }
}
