import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The folder of the nearest package.json at or above the config's folder; without one, the config's folder. */
export function findProjectRoot(configPath: string): string {
  const configFolder = dirname(resolve(configPath));
  for (let folder = configFolder; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) return configFolder;
  }
}
