import { existsSync, readFileSync } from "node:fs";

/** The version of this package. In the build this code is in a file beside the entry of the package. */
export function version(): string {
  const built = new URL("../package.json", import.meta.url);
  const file = existsSync(built) ? built : new URL("../../package.json", import.meta.url);
  const { version: text } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return text;
}
