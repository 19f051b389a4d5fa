import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HubSettings } from "../../../hub/hub-settings.ts";
import { type HubFile, repoFolder } from "./hub.ts";

/** The folder of a revision's files in the hub's cache, where they may have been put by any of its tools. */
export function cachedSnapshot({ repo, revision }: HubFile, settings: HubSettings): string {
  const folder = repoFolder(settings, repo);
  const noted = readIfThere(join(folder, "refs", ...revision.split("/")))?.trim();
  // Anything but a commit could be a path to another place.
  const commit = noted !== undefined && /^[\w-]+$/.test(noted) ? noted : revision;
  return join(folder, "snapshots", commit);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
