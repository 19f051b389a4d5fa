import type { CodeSnapshot, CodeSource } from "../code/code-snapshot.ts";
import {
  type CodeChange,
  compareCode,
  describeCodeChange,
  type OnCodeChange,
  policyFor,
} from "../code/compare-code.ts";
import { digestCode } from "../code/digest-code.ts";
import { isUnchanged } from "../code/is-unchanged.ts";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { type CodeVersion, codeThatMadeItems, makeCodeVersion } from "../run-folder/run/code-versions.ts";
import { countItemsDone } from "../run-folder/run/count-items-done.ts";
import type { Manifest } from "../run-folder/run/manifest.ts";
import { isAnyWorkerAlive } from "../run-folder/run/run-status.ts";

/** The code of a start, and the policy if it differs from the code of the run. */
export interface ChangePolicy {
  readonly code: CodeSource | undefined;
  readonly onCodeChange: OnCodeChange | undefined;
  readonly acceptChange: boolean;
}

/** The result of comparing the code: the code versions for the manifest, or the reason for a refusal. */
export type CodeComparison =
  | {
      readonly kind: "fine";
      readonly versions: readonly CodeVersion[];
      /** A change that does not stop the start. */
      readonly change?: CodeChange;
      /** The message for the user. */
      readonly notice?: string;
    }
  | { readonly kind: "refused"; readonly change: CodeChange; readonly itemsDone: number };

/** The code of a new run. */
export function firstCode(code: CodeSource | undefined): readonly CodeVersion[] {
  return code === undefined ? [] : [makeCodeVersion(digestCode(code), 0)];
}

/** Compares the code of a start with the code that made the existing outputs. */
export function judgeCode(paths: RunPaths, manifest: Manifest, policy: ChangePolicy): CodeComparison {
  const { code: source, onCodeChange, acceptChange } = policy;
  const { code: versions, plan } = manifest;
  // The class has a version, which decides: the files are not compared.
  if (source === undefined) return { kind: "fine", versions: versions.length === 0 ? versions : [] };
  // Only code that has made items counts; the newest may have been noted by a start with nothing to do.
  const made = versions.length > 1 ? codeThatMadeItems(versions, countItemsDone(paths)) : versions;
  const newest = made.at(-1);
  if (newest !== undefined && isUnchanged(newest, source)) return { kind: "fine", versions: made };
  const snapshot = digestCode(source, newest);
  if (newest === undefined) {
    const itemsDone = countItemsDone(paths);
    const fine = { kind: "fine", versions: [makeCodeVersion(snapshot, itemsDone)] } as const;
    if (itemsDone === 0) return fine;
    const notice = `${itemsDone} of ${plan.items.count} items were made before their code was noted: whether it has changed since is not known`;
    return { ...fine, notice };
  }
  const change = compareCode(newest, snapshot);
  if (change === undefined) return { kind: "fine", versions: withNewStamps(made, snapshot) };
  const itemsDone = countItemsDone(paths);
  // No output of the earlier code is left, unless another driver has just started with that code.
  if (itemsDone === 0 && !isAnyWorkerAlive(paths)) return { kind: "fine", versions: [makeCodeVersion(snapshot, 0)] };
  const reaction = acceptChange ? "accept" : policyFor(change, onCodeChange);
  if (reaction === "refuse") return { kind: "refused", change, itemsDone };
  const version = { ...makeCodeVersion(snapshot, itemsDone), ...(acceptChange ? { isAccepted: true } : {}) };
  const fine = { kind: "fine", versions: [...made, version], change } as const;
  if (reaction === "accept") return fine;
  const notice = `the code has changed since ${itemsDone} of ${plan.items.count} items were made: ${describeCodeChange(change).join(", ")}`;
  return { ...fine, notice };
}

/** The same code in files that were written again: workers then need not read them. */
function withNewStamps(versions: readonly CodeVersion[], snapshot: CodeSnapshot): readonly CodeVersion[] {
  const newest = versions.at(-1)!;
  const isSame = JSON.stringify(newest.files) === JSON.stringify(snapshot.files);
  return isSame ? versions : [...versions.slice(0, -1), { ...newest, ...snapshot }];
}
