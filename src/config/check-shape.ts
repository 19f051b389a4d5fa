import { MillraceError } from "../errors/errors.ts";
import { checkValue } from "./check-value.ts";
import { showPosition } from "./config-error.ts";
import { showPath } from "./config-node.ts";
import { positionOf } from "./position-of.ts";
import type { Shape, ShapeProblem } from "./shape.ts";
import type { StandardSchema } from "./standard-schema.ts";

// A longer list does not help the reader.
const maxShown = 10;

/**
 * Checks a config, or a part of one, against a shape. One error reports all mistakes, each with file, line and column,
 * the key, what was expected and the nearest valid key. `source` names a config that was not loaded from a file.
 *
 * A schema of zod, valibot, arktype or another library with the interface of https://standardschema.dev does in the place of
 * a shape, unless it checks asynchronously; the result is then what the schema gives, with its defaults.
 */
export function checkShape<T>(config: unknown, schema: StandardSchema<T>, source?: string): T;
export function checkShape<T>(config: unknown, shape: Shape<T>, source?: string): T;
export function checkShape<T>(config: unknown, schema: Shape<T> | StandardSchema<T>, source = "config"): T {
  const checked = checkValue(config, schema, []);
  if ("value" in checked) return checked.value;
  const { problems } = checked;
  const [first] = problems;
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

/** The hint for a value of the wrong type. */
function adviceFor({ path, message }: ShapeProblem): string {
  const key = path.length === 0 ? "the config" : showPath(path);
  return message.startsWith("is missing") ? `Add ${key} there.` : `Change ${key} there to what was expected.`;
}

function describe({ path, message }: ShapeProblem, config: unknown, source: string): string {
  const position = positionOf(config, path);
  const place = position === undefined ? source : showPosition(position);
  return `${place}: ${path.length === 0 ? "the config" : showPath(path)} ${message}.`;
}
