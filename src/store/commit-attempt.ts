import type { Claim, ClaimContext } from "./claim-unit.ts";
import { exists, isCommitted, move, remove, type Steps } from "./file-step.ts";
import { ownsLease } from "./release-attempt.ts";

/**
 * Publishes an attempt's folder as its shard, in one move. Whoever was fenced finds its folder gone and loses; where a
 * sound shard stands already, the attempt loses too. `replace` puts it in the place of a committed one.
 */
export function* commitAttempt(
  claim: Claim & { readonly unit: number },
  context: ClaimContext,
  { replace = false }: { readonly replace?: boolean } = {},
): Steps<"committed" | "lost"> {
  const { unit, epoch } = claim;
  const { paths } = context;
  if (!(yield* ownsLease(claim, context))) return "lost";

  const attempt = paths.attempt(unit, epoch);
  let inTheWay = replace;
  if (replace) yield* move(paths.shard(unit), paths.replaced(unit, epoch));
  let moved = yield* move(attempt, paths.shard(unit));
  if (moved === "exists" && !(yield* isCommitted(unit))) {
    inTheWay = true;
    yield* move(paths.shard(unit), paths.replaced(unit, epoch));
    moved = yield* move(attempt, paths.shard(unit));
  }
  yield* remove(paths.lease(unit, epoch));
  if (moved === "exists") yield* remove(attempt);
  if (moved !== "moved") return "lost";
  // Between the look at the lease and the move this attempt may have been fenced and its name been made anew by someone
  // with an old view, who has written nothing: then what was moved is that empty folder, and counts for nothing.
  if (!(yield* exists(paths.done(unit)))) return "lost";
  if (inTheWay) yield* remove(paths.replaced(unit, epoch));
  yield* forgetOlder(claim, paths);
  return "committed";
}

function* forgetOlder({ unit, epoch }: Claim, paths: ClaimContext["paths"]): Steps<void> {
  for (let older = epoch - 1; older > 0; older--) {
    yield* remove(paths.fenced(unit, older));
    yield* remove(paths.replaced(unit, older));
    yield* remove(paths.lease(unit, older));
  }
}
