import { errnoOf } from "../../errors/errors.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { cutText } from "../../text/cut-text.ts";
import { makeFolderInRun, removeFromRun, writeNewInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";

/** Warnings about a run. Each is printed once per start, by the first worker that finds the problem. */
export interface Notices {
  say(name: NoticeName, text: string): void;
}

type NoticeName =
  | "answers-not-kept"
  | "no-checkpoints"
  | "dear-checkpoints"
  | "clear-secrets"
  | "other-environment"
  | "secret-in-job";

/** Opens the notices of a run. They are printed to stderr, unless another worker has printed them. */
export function openNotices(paths: RunPaths): Notices {
  const printed = new Set<NoticeName>();
  return {
    say(name, whole) {
      if (printed.has(name)) return;
      printed.add(name);
      const text = cutText(maskSecrets(whole));
      if (isFirst(paths, name, text)) process.stderr.write(`millrace: ${text}\n`);
    },
  };
}

function isFirst(paths: RunPaths, name: NoticeName, text: string): boolean {
  try {
    makeFolderInRun(paths.root, paths.notices);
    writeNewInRun(paths.root, paths.notice(name), `${text}\n`);
    return true;
  } catch (error) {
    // If the notice cannot be recorded, every worker prints it.
    return errnoOf(error) !== "EEXIST";
  }
}

/** Removes the notices: each start of a run prints them again. */
export function removeNotices(paths: RunPaths): void {
  removeFromRun(paths.root, paths.notices);
}
