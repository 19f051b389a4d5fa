import { configError, showPosition } from "./config-error.ts";
import {
  type ConfigNode,
  type ContainerNode,
  copyNode,
  isInterpolation,
  isMissing,
  type MapNode,
  pathOf,
  setEntry,
} from "./config-node.ts";

export interface MergeOptions {
  /** Resolves an interpolation: a section that is merged into must exist. */
  readonly follow: (node: ConfigNode) => ConfigNode | undefined;
  /** Called for a new key, which an override may not add. Default: new keys are added. */
  readonly refuseNew?: (section: MapNode, key: string) => never;
}

/**
 * Merges a section into another, as OmegaConf does: sections are merged, anything else is replaced. `???` replaces
 * nothing, and a list and a section cannot be merged. The source's nodes are moved, not copied.
 */
export function mergeNodes(target: MapNode, source: MapNode, options: MergeOptions): void {
  for (const [key, entry] of source.entries) {
    const old = target.entries.get(key);
    if (old === undefined) options.refuseNew?.(target, key);
    if (old !== undefined && isMissing(entry)) continue;
    const present = old === undefined || entry.kind === "scalar" ? undefined : findContainer(old, options);
    if (present !== undefined && present.kind !== entry.kind) throw mismatch(entry, present, pathOf(old!));
    if (present?.kind !== "map" || entry.kind !== "map") setEntry(target, key, entry);
    else {
      // A copy: merging must not change the target of an interpolation.
      const section = present === old ? present : copyNode(present);
      if (section !== old) setEntry(target, key, section);
      mergeNodes(section, entry, options);
    }
  }
}

function findContainer(node: ConfigNode, { follow }: MergeOptions): ContainerNode | undefined {
  const found = isInterpolation(node) ? follow(node) : node;
  return found === undefined || found.kind === "scalar" ? undefined : found;
}

function mismatch(entry: ConfigNode, present: ContainerNode, path: string) {
  const [was, is] = present.kind === "map" ? ["section", "list"] : ["list", "section"];
  return configError(entry.position, `${path} is a ${is} here and a ${was} in ${showPosition(present.position)}.`, {
    hint: "Only sections are merged, and a list replaces a list. Give one of them another name.",
  });
}
