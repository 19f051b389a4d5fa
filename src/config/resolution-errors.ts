import type { MillraceError } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { configError } from "./config-error.ts";
import { type ConfigNode, pathOf, type ScalarNode } from "./config-node.ts";
import { describeFailure, type SelectFailure } from "./select-node.ts";

/** A reference that leads nowhere. */
export function lookUpError(key: string, failure: SelectFailure, at: ScalarNode): MillraceError {
  const names =
    failure.kind === "absent" && failure.container.kind === "map" ? [...failure.container.entries.keys()] : [];
  const near = failure.kind === "absent" ? nearestName(failure.key, names) : undefined;
  return configError(at.position, `${pathOf(at)}: \${${key}} leads nowhere: ${describeFailure(failure)}.`, {
    hint: adviceOn(failure, near),
  });
}

function adviceOn(failure: SelectFailure, near: string | undefined): string {
  if (near !== undefined) return `Did you mean ${near}?`;
  if (failure.kind !== "missing")
    return "Keys start at the top of the config; with a dot in front, at the section that contains the value.";
  const key = pathOf(failure.node);
  return `Give it in the config or on the command line: ${key}=VALUE. Where it may be left out, write \${oc.select:${key},DEFAULT}.`;
}

/** A value that is `???`. */
export function missingError(node: ConfigNode): MillraceError {
  return configError(node.position, `${pathOf(node)} is ???: it has to be given.`, {
    hint: `Give it in the config or on the command line: ${pathOf(node)}=VALUE.`,
  });
}

/** References that lead back to themselves. */
export function cycleError(circle: readonly ConfigNode[]): MillraceError {
  return configError(circle[0]!.position, `The interpolations go in a circle: ${circle.map(pathOf).join(" -> ")}.`, {
    hint: "One of them needs a value of its own.",
  });
}
