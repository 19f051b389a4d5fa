import { describeCodeChange } from "../../code/compare-code.ts";
import { findChange } from "../../code/find-change.ts";
import { runPaths } from "../files/run-paths.ts";
import { codeOfSpec } from "./code-of-spec.ts";
import { codeThatMadeItems } from "./code-versions.ts";
import { countItemsDone } from "./count-items-done.ts";
import { readManifest } from "./manifest.ts";
import { hasReadableSpec, readSpec } from "./run-spec.ts";

/**
 * The differences between the code on disk and the code that made the newest outputs, a line for each file and package.
 * No code is run. Empty if nothing differs, or if nothing is known: a run of an earlier version, or one with a
 * `version`.
 */
export async function changedCode(runDir: string): Promise<string[]> {
  const paths = runPaths(runDir);
  const versions = readManifest(paths)?.code ?? [];
  const made = versions.length > 1 ? codeThatMadeItems(versions, countItemsDone(paths)) : versions;
  const newest = made.at(-1);
  if (newest === undefined || !hasReadableSpec(paths)) return [];
  const change = await findChange(newest, codeOfSpec(readSpec(paths)));
  return change === undefined ? [] : describeCodeChange(change);
}
