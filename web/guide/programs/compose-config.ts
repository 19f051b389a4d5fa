// Replaces src/config/compose-config.ts: a config of the guide has no defaults list, and the page stays small.
import type { ConfigFolder, FolderConfig } from "../../../src/config/config-folder.ts";
import { copyNode, type MapNode } from "../../../src/config/config-node.ts";

export async function composeConfig(_folder: ConfigFolder, { root }: FolderConfig): Promise<MapNode> {
  if (root.entries.has("defaults")) throw new Error("No config of the guide has a defaults list.");
  return copyNode(root);
}
