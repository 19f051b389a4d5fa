import { homedir } from "node:os";
import { join } from "node:path";

/** The folder for what can be made or fetched again: indexes, and blocks of remote files. `MILLRACE_CACHE` sets it. */
export function cacheFolder(variables: Readonly<Record<string, string | undefined>> = process.env): string {
  const given = (name: string) => (variables[name] === "" ? undefined : variables[name]);
  return given("MILLRACE_CACHE") ?? join(given("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "millrace");
}
