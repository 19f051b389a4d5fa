import type { Claim, ClaimContext } from "./claim.ts";
import { exists, isCommitted, move, readFileStep, remove, type Steps, wait } from "./file-step.ts";
import { ownsLease } from "./release-attempt.ts";

/**
 * Publishes an attempt's folder as its shard, with one rename. The attempt is lost if it was fenced (its folder is
 * gone), or if an intact shard exists. `replace`: replaces a committed shard.
 */
export function* commitAttempt(
  claim: Claim & { readonly target: number },
  context: ClaimContext,
  { replace = false }: { readonly replace?: boolean } = {},
): Steps<"committed" | "lost"> {
  const { target, attempt } = claim;
  const { paths } = context;
  if (!(yield* ownsLease(claim, context))) return "lost";

  const folder = paths.attempt(target, attempt);
  let hasReplaced = replace;
  if (replace) yield* move(paths.shard(target), paths.replaced(target, attempt));
  let moved = yield* move(folder, paths.shard(target));
  if (moved === "exists" && !(yield* isCommittedByNow(target))) {
    hasReplaced = true;
    yield* move(paths.shard(target), paths.replaced(target, attempt));
    moved = yield* move(folder, paths.shard(target));
  }
  if (moved === "missing" && (yield* isOwn(claim, context))) moved = "moved";
  yield* remove(paths.lease(target, attempt));
  if (moved === "exists") yield* remove(folder);
  if (moved !== "moved") return "lost";
  // Between the check of the lease and the rename this attempt may have been fenced, and a worker with outdated
  // information may have made an empty folder under its name. Then that empty folder was renamed, and the attempt is
  // lost.
  if (!(yield* exists(paths.done(target)))) return "lost";
  if (hasReplaced) yield* remove(paths.replaced(target, attempt));
  yield* removeOlderAttempts(claim, paths);
  return "committed";
}

// What another worker has committed may be seen late.
const looksAfterMs = [100, 400, 1500];

function* isCommittedByNow(target: number): Steps<boolean> {
  for (const ms of looksAfterMs) {
    if (yield* isCommitted(target)) return true;
    if (!(yield* wait(ms))) return false;
  }
  return yield* isCommitted(target);
}

/** Whether the shard is this attempt, which was moved although the answer says that it is missing. */
function* isOwn({ target, attempt }: Claim & { readonly target: number }, context: ClaimContext): Steps<boolean> {
  const done = markIn((yield* readFileStep(context.paths.done(target)))?.text ?? "");
  return done?.attempt === attempt && done.worker === context.lease.worker;
}

function markIn(done: string): { readonly attempt?: unknown; readonly worker?: unknown } | null {
  try {
    return JSON.parse(done) as { attempt?: unknown; worker?: unknown } | null;
  } catch {
    return null;
  }
}

function* removeOlderAttempts({ target, attempt }: Claim, paths: ClaimContext["paths"]): Steps<void> {
  for (let older = attempt - 1; older > 0; older--) {
    yield* remove(paths.fenced(target, older));
    yield* remove(paths.replaced(target, older));
    yield* remove(paths.lease(target, older));
  }
}
