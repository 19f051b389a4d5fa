import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { formatCount } from "../drive/progress-line.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { runPaths, shardIdOf } from "../store/run-paths.ts";
import { type RunStatus, runStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";
import { printJson } from "./status.ts";

const deepest = 6;

export const list: Command = {
  name: "list",
  usage: "[DIR] [--json]",
  summary: "Lists the runs below a folder (default: this one) and how they stand.",
  options: { json: { type: "boolean", help: "one JSON object a line" } },
  examples: ["millrace list exp", "millrace list exp --json"],
  arguments: { least: 0, most: 1 },
  async run({ positionals: [dir = "."], has }) {
    let isAny = false;
    for (const runDir of findRuns(dir, 0)) {
      isAny = true;
      const row = await describe(runDir);
      if (has("json")) printJson(row);
      else process.stdout.write(rowText(row));
    }
    if (!isAny) process.stderr.write(`millrace: there are no runs below ${dir}\n`);
    return exitCode.ok;
  },
};

type Row = { readonly runDir: string; readonly error?: string } & Partial<RunStatus>;

async function describe(runDir: string): Promise<Row> {
  try {
    return { ...(await runStatus(runDir)), runDir };
  } catch (error) {
    return { runDir, error: messageOf(error).split("\n", 1)[0]! };
  }
}

function rowText({ runDir, error, state, items }: Row): string {
  if (items === undefined) return `unreadable  ${runDir}: ${error}\n`;
  const failed = items.failed > 0 ? `, ${formatCount(items.failed)} failed` : "";
  return `${(state ?? "").padEnd(10)}  ${runDir}  ${formatCount(items.done)} of ${formatCount(items.total)} items${failed}\n`;
}

/** Folders with a manifest and its machinery. The shards in them are not searched, links are not followed. */
function* findRuns(dir: string, depth: number): Generator<string> {
  const entries = foldersIn(dir, depth);
  const paths = runPaths(dir);
  const isRun = existsSync(paths.manifest) && existsSync(paths.machinery);
  if (isRun) yield dir;
  if (depth >= deepest) return;
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const isInside = shardIdOf(name) !== undefined || name === "node_modules" || name.startsWith(".");
    if (!isInside) yield* findRuns(join(dir, name), depth + 1);
  }
}

function foldersIn(dir: string, depth: number): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch (error) {
    if (depth === 0) throw new MillraceError("BAD_USAGE", `${dir} cannot be listed: ${messageOf(error)}.`);
    // What may not be read is passed over, and said.
    process.stderr.write(`millrace: ${dir} is passed over: ${messageOf(error)}\n`);
    return [];
  }
}
