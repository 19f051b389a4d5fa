import type { ConfigFolder, FolderConfig } from "./config-folder.ts";
import { type ConfigNode, copyNode, type MapNode, makeMap, setEntry } from "./config-node.ts";
import { listDefaults } from "./defaults-tree.ts";
import { GroupChoices } from "./group-choices.ts";
import { mergeNodes } from "./merge-nodes.ts";
import type { Override } from "./parse-override.ts";

/** Merges a config with the configs of its defaults list. */
export async function composeConfig(
  folder: ConfigFolder,
  primary: FolderConfig,
  groupOverrides: readonly Override[],
  follow: (node: ConfigNode) => ConfigNode | undefined,
): Promise<MapNode> {
  const choices = new GroupChoices(groupOverrides);
  const composed = makeMap(primary.root.position);
  for (const { root, package: place } of await listDefaults(folder, primary, choices)) {
    // Copied: the same file may be merged at several positions.
    mergeNodes(composed, embed(copyNode(root), place), { follow });
  }
  return composed;
}

function embed(content: MapNode, place: string): MapNode {
  return place
    .split(".")
    .filter((key) => key !== "")
    .reduceRight((inner, key) => {
      const outer = makeMap(inner.position);
      setEntry(outer, key, inner);
      return outer;
    }, content);
}
