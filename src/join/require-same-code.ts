import { describeCodeChange, verdictOn } from "../code/compare-code.ts";
import { findChange } from "../code/find-change.ts";
import { MillraceError } from "../shared/errors.ts";
import { codeOfSpec } from "../store/code-of-spec.ts";
import type { Manifest } from "../store/manifest.ts";
import type { RunPaths } from "../store/run-paths.ts";
import type { RunSpec } from "../store/run-spec.ts";

/** A worker that starts later loads what is on disk then: it must be the code that the run was started with. */
export async function requireSameCode(
  { root }: RunPaths,
  { code }: Manifest,
  spec: RunSpec,
  loaded: { readonly runner?: object; readonly provider?: object } = {},
): Promise<void> {
  const newest = code.at(-1);
  const change = newest === undefined ? undefined : await findChange(newest, codeOfSpec(spec, loaded));
  if (change === undefined) return;
  const verdict = verdictOn(change, spec.onCodeChange);
  const lines = describeCodeChange(change);
  if (verdict === "warn")
    process.stderr.write(`millrace: the code has changed since the run was started: ${lines.join(", ")}\n`);
  if (verdict !== "refuse") return;
  throw new MillraceError(
    "RUN_CHANGED",
    `The code of the run in ${root} was edited while the run was under way, and a worker that started later would mix both:\n${lines.map((line) => `  ${line}`).join("\n")}`,
    {
      hint: "Start the run again: with resume: false to compute everything with the new code, with acceptChange: true to keep what is done and go on, or after going back to the old code.",
    },
  );
}
