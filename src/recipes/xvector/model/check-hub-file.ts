import { isHubName, isPathWithin, revisionPattern } from "../../../hub/hub-names.ts";
import { MillraceError } from "../../../index.ts";
import type { HubFile } from "./hub.ts";

/** Checks the names in a config, because they become URLs of the hub and file names in the cache. */
export function checkHubFile({ repo, revision, file }: HubFile): HubFile {
  if (!isHubName(repo)) throw refuse("pretrained_model", repo, "owner/name");
  if (!revisionPattern.test(revision)) throw refuse("revision", revision, "a branch, a tag or a commit");
  const plain = file?.replace(/^(?:\.\/+)+/, "");
  if (plain !== undefined && !isPathWithin(plain)) throw refuse("model_file", file, "a path inside the repository");
  return { repo, revision, file: plain };
}

function refuse(key: string, value: unknown, expected: string): MillraceError {
  return new MillraceError("BAD_MODEL", `xvector.${key} is ${JSON.stringify(value)}; ${expected} was expected.`, {
    hint: "Its parts are divided by single slashes; none of them is empty, `.` or `..`.",
  });
}
