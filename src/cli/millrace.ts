#!/usr/bin/env node
import { MillraceError } from "../shared/errors.ts";
import { joinAsWorker } from "./worker.ts";

const usage = `Usage: millrace worker RUN

  worker RUN   join the run in the folder RUN as one more worker, until nothing is left to do
`;

const [command, ...rest] = process.argv.slice(2);
try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof MillraceError)) throw error;
  process.stderr.write(`millrace: ${error.message}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  if (command === "worker" && rest.length === 1) return joinAsWorker(rest[0]!);
  const isHelp = command === "--help" || command === "-h";
  (isHelp ? process.stdout : process.stderr).write(usage);
  return isHelp ? 0 : 2;
}
