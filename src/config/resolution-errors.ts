import type { MillraceError } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { configError } from "./config-error.ts";
import type { ConfigFiles } from "./config-files.ts";
import { type ConfigNode, pathOf, type ScalarNode } from "./config-node.ts";
import { templateNames } from "./recipe-template.ts";
import { describeFailure, type SelectFailure } from "./select-node.ts";

/** A reference that leads nowhere. */
export function lookUpError(
  key: string,
  failure: SelectFailure,
  { at, files }: { readonly at: ScalarNode; readonly files: ConfigFiles | undefined },
): MillraceError {
  const names =
    failure.kind === "absent" && failure.container.kind === "map" ? [...failure.container.entries.keys()] : [];
  const near = failure.kind === "absent" ? nearestName(failure.key, names) : undefined;
  return configError(at.position, `${pathOf(at)}: \${${key}} leads nowhere: ${describeFailure(failure)}.`, {
    hint: adviceOn(failure, { near, files }),
  });
}

function adviceOn(
  failure: SelectFailure,
  { near, files }: { readonly near: string | undefined; readonly files: ConfigFiles | undefined },
): string {
  if (near !== undefined) return `Did you mean ${near}?`;
  // A key that other configs of the recipe have from their template.
  const templates = files === undefined || files.hasTemplate ? [] : templateNames(files.main);
  if (failure.kind === "absent" && templates.length > 0)
    return `The config was merged over no template of its recipe, because its name begins with none of theirs: ${templates.join(", ")}. Rename it, as in ${templates[0]}_small.yaml; in code, pass loadConfig the option template.`;
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
