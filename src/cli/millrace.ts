#!/usr/bin/env node
import { MillraceError } from "../shared/errors.ts";
import { commands } from "./commands.ts";

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof MillraceError)) throw error;
  process.stderr.write(`millrace: ${error.message}\n`);
  process.exitCode = error.code === "BAD_USAGE" ? 2 : 1;
}

async function main([name, ...rest]: string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    const { version } = await import("./version.ts");
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) throw await unknownCommand(name);
  const [command, { helpText, parseInput }] = await Promise.all([entry.load(), import("./command.ts")]);
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write(helpText(command));
    return 0;
  }
  return command.run(parseInput(command, rest, () => Promise.all(Object.values(commands).map(({ load }) => load()))));
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: millrace COMMAND …\n\nCommands:\n${rows.join("\n")}\n\nmillrace COMMAND --help says more.\n`;
}

async function unknownCommand(name: string): Promise<MillraceError> {
  const { nearestName } = await import("../shared/nearest-name.ts");
  const near = nearestName(name, Object.keys(commands));
  return new MillraceError("BAD_USAGE", `There is no command ${JSON.stringify(name)}.`, {
    hint: near === undefined ? "millrace --help lists them." : `Did you mean ${near}?`,
  });
}
