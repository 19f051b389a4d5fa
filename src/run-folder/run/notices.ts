import { errnoOf } from "../../errors/errors.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { cutText } from "../../text/cut-text.ts";
import { makeFolderInRun, removeFromRun, writeNewInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";

/** Warnings about a run, each printed once per start, however many workers find the problem. */
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

/** The notices of a run for one worker: printed to stderr, unless another worker was first. */
export function openNotices(paths: RunPaths): Notices {
  const said = new Set<NoticeName>();
  return {
    say(name, whole) {
      if (said.has(name)) return;
      said.add(name);
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
    // Where it cannot be recorded, every worker prints it.
    return errnoOf(error) !== "EEXIST";
  }
}

/** Each start of a run prints its notices again. */
export function removeNotices(paths: RunPaths): void {
  removeFromRun(paths.root, paths.notices);
}
