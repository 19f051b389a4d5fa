import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { runPaths } from "../store/run-paths.ts";
import { type Command, exitCode } from "./command.ts";
import { checkBackends } from "./doctor/backends.ts";
import { checkFileSystem } from "./doctor/file-system.ts";
import type { Finding } from "./doctor/finding.ts";
import { checkMachine } from "./doctor/machine.ts";
import { checkRun } from "./doctor/run-folder.ts";

export const doctor: Command = {
  name: "doctor",
  usage: "[CONFIG|RUN] [--json]",
  summary:
    "Looks whether everything is in place: Node, the file system of the outputs, schedulers, GPUs, ONNX Runtime.",
  details:
    "For a run: who holds which shard, why shards wait, and what would be run again and why.\n" +
    `Exit code ${exitCode.failed} where something is wrong; what is only missing is no error.`,
  options: { json: { type: "boolean", help: "the findings as one JSON array" } },
  examples: ["millrace doctor", "millrace doctor exp/prep", "millrace doctor --json"],
  arguments: { least: 0, most: 1 },
  async run({ positionals: [target], has }) {
    const findings: Finding[] = [];
    const tell = (finding: Finding) => {
      findings.push(finding);
      if (!has("json")) process.stdout.write(line(finding));
    };
    for (const finding of await checkMachine()) tell(finding);
    for (const finding of checkFileSystem(await outputFolder(target))) tell(finding);
    for await (const finding of checkBackends()) tell(finding);
    if (target !== undefined && isRun(target)) for (const finding of await checkRun(target)) tell(finding);
    if (has("json")) process.stdout.write(`${JSON.stringify(findings)}\n`);
    return findings.some(({ state }) => state === "wrong") ? exitCode.failed : exitCode.ok;
  },
};

const marks = { fine: "ok     ", missing: "absent ", note: "note   ", wrong: "WRONG  " } as const;

function line({ state, what, detail, hint }: Finding): string {
  return `${marks[state]} ${what}: ${detail}\n${hint === undefined ? "" : `         -> ${hint}\n`}`;
}

function isRun(target: string): boolean {
  return existsSync(target) && statSync(target).isDirectory() && existsSync(runPaths(target).manifest);
}

/** Where the outputs would go: the run itself, what the config says, or this folder. */
async function outputFolder(target: string | undefined): Promise<string> {
  if (target === undefined) return process.cwd();
  if (existsSync(target) && statSync(target).isDirectory()) return resolve(target);
  const { readRunConfig } = await import("./run-config.ts");
  const { outputDir } = await readRunConfig(target, []);
  let folder = resolve(outputDir);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
