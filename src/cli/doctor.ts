import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { findProjectRoot } from "../config/find-project-root.ts";
import type { ParallelConfig } from "../config/parallel.ts";
import { MillraceError } from "../errors/errors.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { readManifest } from "../run-folder/run/manifest.ts";
import { openStatus } from "../run-folder/run/run-status.ts";
import { badUsage, type Command, countOf, exitCode, trustOption } from "./command.ts";
import { checkBackends } from "./doctor/backends.ts";
import { checkConfig } from "./doctor/config.ts";
import { checkFileSystem } from "./doctor/file-system.ts";
import type { Finding } from "./doctor/finding.ts";
import { checkMachine } from "./doctor/machine.ts";
import { checkObjectStore } from "./doctor/object-store.ts";
import { checkRun } from "./doctor/run-folder.ts";
import { checkSshHosts } from "./doctor/ssh-hosts.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { printJson } from "./status.ts";

const timeoutSeconds = 8;

export const doctor: Command = {
  name: "doctor",
  usage: "[CONFIG [key=value …] | RUN | FOLDER | s3://BUCKET/PREFIX] [--timeout S] [--trust] [--json]",
  summary:
    "Checks that everything is in place: the runtime, the file system of the outputs, schedulers, GPUs, ONNX Runtime.",
  details:
    "For a config: whether it can be read, its modules exist, and the backend it names answers. Its code is not run\n" +
    "(`millrace plan CONFIG --count` does that). For a run: which worker holds which shard, why shards wait, and what\n" +
    "would be run again and why. For another folder: what its file system can do, and whether a run can use it. For\n" +
    "s3://bucket/prefix: whether the store can hold a run.\n" +
    `Exit code ${exitCode.failed} if something is wrong. A missing backend that the config does not need is no error.`,
  options: {
    timeout: {
      type: "string",
      value: "S",
      help: `seconds a scheduler or a host may take to answer (default: ${timeoutSeconds})`,
    },
    trust: {
      ...trustOption,
      help: "use `ssh_arguments` and `node` of the config (env: ssh), and an ONNX Runtime that others installed",
    },
    json: { type: "boolean", help: "the findings as one JSON array" },
  },
  examples: [
    "millrace doctor",
    "millrace doctor prep.yaml",
    "millrace doctor prep.yaml parallel.n_workers=8",
    "millrace doctor exp/prep",
    "millrace doctor .",
    "millrace doctor s3://bucket/exp",
    "millrace doctor --json --timeout 3",
  ],
  arguments: { min: 0, max: Number.POSITIVE_INFINITY },
  runsUserCode: true,
  async run(input) {
    const [target, ...overrides] = input.positionals;
    const timeoutMs = 1000 * (countOf(doctor, input, "timeout") ?? timeoutSeconds);
    const kind = await kindOf(target);
    if (kind !== undefined && kind !== "config" && overrides.length > 0)
      throw badUsage(doctor, `${JSON.stringify(overrides[0])} is one argument too many: only a config takes overrides`);
    const findings: Finding[] = [];
    const report = (found: readonly Finding[]) => {
      findings.push(...found);
      if (!input.has("json")) for (const finding of found) process.stdout.write(line(finding));
    };
    if (kind === "store") {
      for await (const finding of checkObjectStore(target!, timeoutMs)) report([finding]);
      return endOf(findings, input.has("json"));
    }
    const project = kind === "config" ? findProjectRoot(target!) : process.cwd();
    const limits = { timeoutMs, isTrusted: input.has("trust") };
    if (kind === "folder") {
      report(checkFileSystem(resolve(target!)));
      return endOf(findings, input.has("json"));
    }
    // What a config or a run does not name is not asked for: it may be absent, and its programs may take long to answer.
    const machine = await checkMachine(project, limits);
    report(kind === undefined ? machine : machine.filter(({ state }) => state !== "missing"));
    let outputs = kind === "run" ? resolve(target!) : process.cwd();
    let needed: ParallelConfig | undefined;
    if (kind === "config") {
      const config = await onlyJsonOnStdout(() => checkConfig(target!, overrides));
      report(config.findings);
      needed = config.parallel;
      if (config.outputDir !== undefined) outputs = config.outputDir;
    }
    report(checkFileSystem(nearestFolder(outputs)));
    const wanted = kind === undefined ? "all" : needed;
    for await (const finding of checkBackends(timeoutMs, wanted)) report([finding]);
    if (needed?.env === "ssh") for await (const finding of checkSshHosts(needed, limits)) report([finding]);
    if (kind === "run") report(await checkRun(target!));
    return endOf(findings, input.has("json"));
  },
};

function endOf(findings: readonly Finding[], asJson: boolean): number {
  if (asJson) printJson(findings);
  else process.stdout.write(`\n${verdict(findings)}\n`);
  return findings.some(({ state }) => state === "wrong") ? exitCode.failed : exitCode.ok;
}

/** What the findings mean for the user. */
function verdict(findings: readonly Finding[]): string {
  const named = (wanted: Finding["state"]) => [
    ...new Set(findings.filter(({ state }) => state === wanted).map(({ what }) => what)),
  ];
  const [wrong, notes] = [named("wrong"), named("note")];
  const rest = notes.length === 0 ? "" : ` Worth a look: ${notes.join(", ")}.`;
  if (wrong.length === 0) return `Everything that is needed is in place.${rest}`;
  return `Not ready: ${wrong.join(", ")} must be corrected first.${rest}`;
}

const marks = { fine: "ok     ", missing: "absent ", note: "note   ", wrong: "WRONG  " } as const;

function line({ state, what, detail, hint }: Finding): string {
  return `${marks[state]} ${what}: ${detail}\n${hint === undefined ? "" : `         -> ${hint}\n`}`;
}

async function kindOf(target: string | undefined): Promise<"run" | "folder" | "store" | "config" | undefined> {
  if (target === undefined) return undefined;
  if (target.startsWith("s3:")) return "store";
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) {
    throw new MillraceError("BAD_USAGE", `There is no file or folder ${target}.`, {
      hint: "Name a config, the folder of a run, another folder, or nothing.",
    });
  }
  if (!stat.isDirectory()) return "config";
  if (readManifest(runPaths(target)) === undefined) return "folder";
  await openStatus(target);
  return "run";
}

/** The folder itself, or its nearest existing parent. */
function nearestFolder(path: string): string {
  let folder = resolve(path);
  while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  return folder;
}
