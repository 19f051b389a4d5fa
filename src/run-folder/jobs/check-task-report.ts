import { isMapping } from "./check-submission.ts";
import type { TaskReport } from "./submission.ts";

const outcomes: readonly unknown[] = ["complete", "left", "deadline", "failed", "withdrawn"];

function isFlagOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Returns the value if it is the report of a task. */
export function checkTaskReport(value: unknown): TaskReport | undefined {
  return isTaskReport(value) ? value : undefined;
}

function isTaskReport(value: unknown): value is TaskReport {
  if (!isMapping(value)) return false;
  const { version, node, pid, wasReady, outcome, isRequeued, error } = value;
  return (
    version === 1 &&
    // Any host name. The scheduler that excludes a node checks its name.
    typeof node === "string" &&
    /^[^\s\p{Cc}]{0,255}$/u.test(node) &&
    Number.isSafeInteger(pid) &&
    typeof wasReady === "boolean" &&
    (outcome === undefined || outcomes.includes(outcome)) &&
    isFlagOrAbsent(isRequeued) &&
    (error === undefined || isPackedError(error))
  );
}

function isPackedError(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { code, message, hint, item, worker, cause } = value;
  return (
    typeof code === "string" &&
    /^[A-Z_]{1,40}$/.test(code) &&
    typeof message === "string" &&
    isTextOrAbsent(hint) &&
    isTextOrAbsent(worker) &&
    (item === undefined || Number.isSafeInteger(item)) &&
    (cause === undefined || isCause(cause))
  );
}

function isCause(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { name, message, code, stack } = value;
  return typeof name === "string" && typeof message === "string" && isTextOrAbsent(code) && isTextOrAbsent(stack);
}
