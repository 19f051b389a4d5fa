import { MillraceError } from "../shared/errors.ts";
import { showPosition } from "./config-error.ts";
import { showPath } from "./config-node.ts";
import { positionOf } from "./position-of.ts";
import type { Shape, ShapeProblem } from "./shape.ts";

// More than that does not help anyone who reads it.
const maxShown = 10;

/**
 * Checks a config, or a part of one, against a shape. All mistakes come in one error, each with file, line and column,
 * the key, what was expected and the nearest valid key. `source` names a config that was not loaded from a file.
 */
export function checkShape<T>(config: unknown, shape: Shape<T>, source = "config"): T {
  const problems = shape.check(config, []);
  if (problems.length === 0) return config as T;
  const [first] = problems as [ShapeProblem];
  if (problems.length === 1) {
    throw new MillraceError("BAD_CONFIG", describe(first, config, source), { hint: first.hint ?? adviceFor(first) });
  }
  const shown = problems.slice(0, maxShown).map((problem) => {
    const hint = problem.hint === undefined ? "" : ` ${problem.hint}`;
    return `${describe(problem, config, source)}${hint}`;
  });
  const rest = problems.length - shown.length;
  if (rest > 0) shown.push(`… and ${rest} more`);
  throw new MillraceError("BAD_CONFIG", `${shown.join("\n")}`, {
    hint: "Each line names its place; change all of them, then run again.",
  });
}

/** What to do about a value that is only of another kind than expected. */
function adviceFor({ path, message }: ShapeProblem): string {
  const key = path.length === 0 ? "the config" : showPath(path);
  return message.startsWith("is missing") ? `Add ${key} there.` : `Change ${key} there to what was expected.`;
}

function describe({ path, message }: ShapeProblem, config: unknown, source: string): string {
  const position = positionOf(config, path);
  const place = position === undefined ? source : showPosition(position);
  return `${place}: ${path.length === 0 ? "the config" : showPath(path)} ${message}.`;
}
