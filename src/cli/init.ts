import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { errnoOf, MillraceError, messageOf } from "../errors/errors.ts";
import { version } from "../runtime/version.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, exitCode } from "./command.ts";
import { projectFiles } from "./init/project-files.ts";

export const init: Command = {
  name: "init",
  usage: "DIR",
  summary: "Makes a small project in DIR: a provider, a runner, a config and a test, that run as they are.",
  options: {},
  examples: ["millrace init my-corpus"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [dir] }) {
    refuseUsed(dir!);
    for (const [name, text] of Object.entries(projectFiles(packageName(basename(resolve(dir!))), version()))) {
      mkdirSync(dirname(join(dir!, name)), { recursive: true });
      writeFileSync(join(dir!, name), text, { flag: "wx" });
    }
    process.stdout.write(`Made ${dir}. Continue with:

  cd ${dir!.startsWith("-") ? "-- " : ""}${shellWord(dir!)}
  npm install
  npx millrace run prep.yaml
  npx millrace status exp/prep
  npm test
`);
    return exitCode.ok;
  },
};

function refuseUsed(dir: string): void {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return;
    const reason = errnoOf(error) === "ENOTDIR" ? "is a file" : `cannot be used: ${messageOf(error)}`;
    throw new MillraceError("BAD_USAGE", `${dir} ${reason}.`, {
      hint: "Name a folder that is not there yet.",
    });
  }
  if (names.length > 0)
    throw new MillraceError("BAD_USAGE", `${dir} is not empty.`, { hint: "Name a folder that is not there yet." });
}

/** The name of the folder, as a valid package name. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
    .slice(0, 200);
  return name === "" || name === "node_modules" ? "my-corpus" : name;
}
