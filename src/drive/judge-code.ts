import type { CodeSnapshot } from "../code/code-snapshot.ts";
import { type CodeChange, compareCode, describeCodeChange, verdictOn } from "../code/compare-code.ts";
import { digestCode } from "../code/digest-code.ts";
import { isUnchanged } from "../code/is-unchanged.ts";
import { type CodeVersion, codeThatMadeItems, makeCodeVersion } from "../store/code-versions.ts";
import { countItemsDone } from "../store/count-items-done.ts";
import type { Manifest } from "../store/manifest.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { isAnyoneAtWork } from "../store/run-status.ts";
import type { RunRequest } from "./run-request.ts";

type CodeRequest = Pick<RunRequest<unknown>, "code" | "onCodeChange" | "acceptChange">;

/** What a start makes of the code that it finds: the states that the manifest is to hold, or why it must not go on. */
export type CodeVerdict =
  | { readonly kind: "fine"; readonly versions: readonly CodeVersion[] }
  | { readonly kind: "refused"; readonly change: CodeChange; readonly itemsDone: number };

/** The code of a run that begins. */
export function firstCode({ code }: CodeRequest): readonly CodeVersion[] {
  return code === undefined ? [] : [makeCodeVersion(digestCode(code), 0)];
}

/** Compares the code of a start with what has made the outputs that are there. */
export function judgeCode(paths: RunPaths, manifest: Manifest, request: CodeRequest): CodeVerdict {
  const { code: source, onCodeChange, acceptChange } = request;
  const { code: versions, plan } = manifest;
  // The version of the class decides: the files are not looked at.
  if (source === undefined) return { kind: "fine", versions: versions.length === 0 ? versions : [] };
  // Only code that has made items counts; the newest may have been noted by a start with nothing to do.
  const made = versions.length > 1 ? codeThatMadeItems(versions, countItemsDone(paths)) : versions;
  const newest = made.at(-1);
  if (newest !== undefined && isUnchanged(newest, source)) return { kind: "fine", versions: made };
  const snapshot = digestCode(source, newest);
  if (newest === undefined) {
    const itemsDone = countItemsDone(paths);
    if (itemsDone > 0)
      say(
        `${itemsDone} of ${plan.items.count} items were made before their code was noted: whether it has changed since is not known`,
      );
    return { kind: "fine", versions: [makeCodeVersion(snapshot, itemsDone)] };
  }
  const change = compareCode(newest, snapshot);
  if (change === undefined) return { kind: "fine", versions: withNewStamps(made, snapshot) };
  const itemsDone = countItemsDone(paths);
  // Nothing of the code before is left, unless another driver has just begun with it.
  if (itemsDone === 0 && !isAnyoneAtWork(paths)) return { kind: "fine", versions: [makeCodeVersion(snapshot, 0)] };
  const verdict = acceptChange ? "accept" : verdictOn(change, onCodeChange);
  if (verdict === "refuse") return { kind: "refused", change, itemsDone };
  if (verdict === "warn")
    say(
      `the code has changed since ${itemsDone} of ${plan.items.count} items were made: ${describeCodeChange(change).join(", ")}`,
    );
  const version = { ...makeCodeVersion(snapshot, itemsDone), ...(acceptChange ? { isAccepted: true } : {}) };
  return { kind: "fine", versions: [...made, version] };
}

/** The same code in files that were written again: workers then need not read them. */
function withNewStamps(versions: readonly CodeVersion[], snapshot: CodeSnapshot): readonly CodeVersion[] {
  const newest = versions.at(-1)!;
  const isSame = JSON.stringify(newest.files) === JSON.stringify(snapshot.files);
  return isSame ? versions : [...versions.slice(0, -1), { ...newest, ...snapshot }];
}

function say(text: string): void {
  process.stderr.write(`millrace: ${text}\n`);
}
