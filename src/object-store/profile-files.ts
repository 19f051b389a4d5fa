import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The keys of one profile in `~/.aws/credentials` and `~/.aws/config`. Nested ones are `s3.addressing_style`. */
export interface Profile {
  readonly name: string;
  /** From the file of credentials. */
  readonly keys: ReadonlyMap<string, string>;
  readonly config: ReadonlyMap<string, string>;
  /** Whether one of the files has a section for it. */
  readonly isThere: boolean;
}

/** Reads a profile from the files that `AWS_SHARED_CREDENTIALS_FILE` and `AWS_CONFIG_FILE` name, or from `~/.aws`. */
export function readProfile(name: string, variables: NodeJS.ProcessEnv): Profile {
  const given = (variable: string) => (variables[variable] === "" ? undefined : variables[variable]);
  const home = join(homedir(), ".aws");
  const keys = readSection(given("AWS_SHARED_CREDENTIALS_FILE") ?? join(home, "credentials"), [name]);
  // The profile "default" is also written without the word.
  const sections = name === "default" ? ["default", "profile default"] : [`profile ${name}`, name];
  const config = readSection(given("AWS_CONFIG_FILE") ?? join(home, "config"), sections);
  return {
    name,
    keys: keys ?? new Map(),
    config: config ?? new Map(),
    isThere: keys !== undefined || config !== undefined,
  };
}

function readSection(path: string, sections: readonly string[]): Map<string, string> | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  let found: Map<string, string> | undefined;
  let isWanted = false;
  let parent = "";
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().replace(/\s+/g, " ");
    if (section !== undefined) {
      isWanted = sections.includes(section);
      if (isWanted) found ??= new Map();
      continue;
    }
    const [, indent, key, value] = /^(\s*)(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (!isWanted || indent === undefined || key === undefined || value === undefined) continue;
    // `s3 =` without a value is followed by indented keys of its own.
    if (indent === "") parent = value === "" ? `${key}.` : "";
    found!.set(indent === "" ? key : `${parent}${key}`, value);
  }
  return found;
}
