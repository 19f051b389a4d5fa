import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { MillraceError } from "../../../index.ts";
import { digestFile } from "./digest-file.ts";

/** The SHA-256 of a file, compared with what the config requires, or with what was recorded when it was fetched. */
export async function checkDigest(path: string, required?: string): Promise<string> {
  const sha256 = await digestFile(path);
  const noted = readRecordedDigest(path);
  const expected = required?.toLowerCase() ?? noted?.digest;
  if (expected === undefined || expected === sha256) return sha256;
  const source = required === undefined ? noted!.source : "xvector.sha256";
  throw new MillraceError("BAD_MODEL", `${path} has the SHA-256 ${sha256}, not ${expected} as ${source} says.`, {
    hint: "The file was changed or damaged. Delete it to have it fetched again, or correct the checksum.",
  });
}

interface RecordedDigest {
  readonly digest: string;
  /** Where it was read. */
  readonly source: string;
}

/**
 * The recorded SHA-256 of a file: beside it in the format of `sha256sum`, or the name of the blob that the hub's cache
 * links it to.
 */
function readRecordedDigest(path: string): RecordedDigest | undefined {
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
