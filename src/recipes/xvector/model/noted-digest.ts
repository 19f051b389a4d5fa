import { readFileSync } from "node:fs";

/** The SHA-256 that was noted beside a file when it was fetched, as `sha256sum` writes it. */
export function readNotedDigest(path: string): string | undefined {
  try {
    return /^[0-9a-f]{64}/i.exec(readFileSync(`${path}.sha256`, "utf8"))?.[0].toLowerCase();
  } catch {
    return undefined;
  }
}
