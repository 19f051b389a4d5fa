// Replaces src/config/defaults-tree.ts: a config of the guide has no defaults list, and the page stays small.
import type { ConfigFolder, FolderConfig } from "../../../src/config/config-folder.ts";
import type { DefaultResult } from "../../../src/config/defaults-tree.ts";

export async function listDefaults(_folder: ConfigFolder, { root }: FolderConfig): Promise<DefaultResult[]> {
  if (root.entries.has("defaults")) throw new Error("No config of the guide has a defaults list.");
  return [{ root, package: "" }];
}
