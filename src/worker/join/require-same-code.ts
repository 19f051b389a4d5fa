import { describeCodeChange, policyFor } from "../../code/compare-code.ts";
import { findChange } from "../../code/find-change.ts";
import { MillraceError } from "../../errors/errors.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { codeOfSpec } from "../../run-folder/run/code-of-spec.ts";
import type { Manifest } from "../../run-folder/run/manifest.ts";
import type { RunSpec } from "../../run-folder/run/run-spec.ts";

/** Checks that the code on disk is that of the run: a worker that starts later loads the files as they are then. */
export async function requireSameCode(
  { root }: RunPaths,
  { code }: Manifest,
  spec: RunSpec,
  loaded: { readonly runner?: object; readonly provider?: object } = {},
): Promise<void> {
  const newest = code.at(-1);
  const change = newest === undefined ? undefined : await findChange(newest, codeOfSpec(spec, loaded));
  if (change === undefined) return;
  const reaction = policyFor(change, spec.onCodeChange);
  const lines = describeCodeChange(change);
  if (reaction === "warn")
    process.stderr.write(`millrace: the code has changed since the run was started: ${lines.join(", ")}\n`);
  if (reaction !== "refuse") return;
  throw new MillraceError(
    "RUN_CHANGED",
    `The code of the run in ${root} was edited while the run was under way, and a worker that started later would mix both:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    {
      hint: "Start the run again: with resume: false to compute everything with the new code, with acceptChange: true to keep what is done and continue, or after going back to the old code.",
    },
  );
}
