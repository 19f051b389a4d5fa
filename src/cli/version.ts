import { readFileSync } from "node:fs";

/** The version of this package. The build puts this file beside the entry of the package. */
export function version(): string {
  const { version: text } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return text;
}
