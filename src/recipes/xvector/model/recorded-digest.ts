import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

export interface RecordedDigest {
  readonly digest: string;
  /** Where it was read. */
  readonly source: string;
}

/**
 * The recorded SHA-256 of a file: beside it in the format of `sha256sum`, or the name of the blob that the hub's cache
 * links it to.
 */
export function readRecordedDigest(path: string): RecordedDigest | undefined {
  const noted = ifThere(() => /^[0-9a-f]{64}/i.exec(readFileSync(`${path}.sha256`, "utf8"))?.[0].toLowerCase());
  if (noted !== undefined) return { digest: noted, source: `${path}.sha256` };
  const blob = ifThere(() => /blobs[/\\][0-9a-f]{64}$/.exec(readlinkSync(path))?.[0]);
  return blob === undefined ? undefined : { digest: basename(blob), source: "the name of its blob" };
}

function ifThere(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
