import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nearestName } from "../text/nearest-name.ts";

/** The file beside a missing path with a similar name, if there is one. */
export function nearestFile(path: string): string | undefined {
  try {
    const near = nearestName(basename(path), readdirSync(dirname(path)));
    return near === undefined ? undefined : join(dirname(path), near);
  } catch {
    return undefined;
  }
}
