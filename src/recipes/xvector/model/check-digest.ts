import { MillraceError } from "../../../index.ts";
import { digestFile } from "./digest-file.ts";
import { readRecordedDigest } from "./recorded-digest.ts";

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
