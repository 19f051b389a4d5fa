import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { errnoOf } from "../shared/errors.ts";
import type { RunPaths } from "./run-paths.ts";

/** What is said about a run at most once in a start of it, however many workers notice it. */
export interface Notices {
  say(name: NoticeName, text: string): void;
}

type NoticeName = "no-checkpoints" | "dear-checkpoints";

/** The notices of a run as one worker says them: on stderr, unless another worker was first. */
export function openNotices(paths: RunPaths): Notices {
  const said = new Set<NoticeName>();
  return {
    say(name, text) {
      if (said.has(name)) return;
      said.add(name);
      if (isFirst(paths, name, text)) process.stderr.write(`millrace: ${text}\n`);
    },
  };
}

function isFirst(paths: RunPaths, name: NoticeName, text: string): boolean {
  try {
    mkdirSync(paths.notices, { recursive: true });
    writeFileSync(paths.notice(name), `${text}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    // Where it cannot be noted, every worker says it: better than none.
    return errnoOf(error) !== "EEXIST";
  }
}

/** Each start of a run says its notices again. */
export function forgetNotices(paths: RunPaths): void {
  rmSync(paths.notices, { recursive: true, force: true });
}
