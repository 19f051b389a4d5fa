import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of this library's own code: what the build makes is in one folder, the sources are in several. */
export function libraryFolder(): string {
  const isBuilt = existsSync(new URL("../package.json", import.meta.url));
  return fileURLToPath(new URL(isBuilt ? "./" : "../", import.meta.url));
}
