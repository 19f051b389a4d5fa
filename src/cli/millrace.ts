#!/usr/bin/env node
import { MillraceError } from "../errors/errors.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";

let command: Command | undefined;

// The reader of the output may close the pipe (`| head`). Then a command that only prints ends; one that works continues.
process.stdout.on("error", ({ code: errno }: NodeJS.ErrnoException) => {
  if (command?.runsUserCode !== true) process.exit(errno === "EPIPE" ? 0 : 1);
});
process.stderr.on("error", () => {});

let code: number;
try {
  code = await main(process.argv.slice(2));
} catch (error) {
  code = (await import("./print-error.ts")).printError(error);
}
process.exitCode = code;
if (command?.runsUserCode) await (await import("./end-process.ts")).endProcess(code);

async function main([name, ...rest]: string[]): Promise<number> {
  if (name === undefined) {
    process.stderr.write(overview());
    return 2;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    const [about] = rest.filter((word) => !word.startsWith("-"));
    process.stdout.write(about === undefined ? overview() : await helpOf(about));
    return 0;
  }
  if (name === "--version") {
    const { version } = await import("../runtime/version.ts");
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const asked = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : rest.length);
  if (asked.includes("--help") || asked.includes("-h")) {
    process.stdout.write(await helpOf(name));
    return 0;
  }
  command = await load(name);
  const { parseInput } = await import("./command.ts");
  return command.run(parseInput(command, rest, () => Promise.all(Object.keys(commands).map(load))));
}

async function load(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) throw await unknownCommand(name);
  return entry.load();
}

async function helpOf(name: string): Promise<string> {
  const { helpText } = await import("./command.ts");
  return helpText(await load(name));
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: millrace COMMAND …

Commands:
${rows.join("\n")}

Exit codes: 0 done; 1 it failed; 2 the command line or the config is wrong; 3 not complete: items failed
or are left; 130 Ctrl-C.
millrace COMMAND --help shows more; millrace --version shows the version.
`;
}

async function unknownCommand(name: string): Promise<MillraceError> {
  const { nearestName } = await import("../text/nearest-name.ts");
  const near = nearestName(name, [...Object.keys(commands), "--help", "--version"]);
  return new MillraceError("BAD_USAGE", `There is no command ${JSON.stringify(name)}.`, {
    hint: near === undefined ? "millrace --help lists them." : `Did you mean ${near}?`,
  });
}
