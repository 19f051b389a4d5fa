import type { ParallelConfig } from "../../config/parallel.ts";
import type { Finding } from "./finding.ts";
import { type ProgramAnswer, tryProgram } from "./try-program.ts";

/** A backend, and a command that succeeds only if the backend works: a program on the PATH proves little. */
interface Backend {
  readonly name: string;
  readonly env: string;
  readonly question: readonly [program: string, ...args: string[]];
  /** What success means, if the output does not say it. */
  readonly meaning?: string;
}

const backends: readonly Backend[] = [
  { name: "NVIDIA GPUs", env: "local_gpu", question: ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"] },
  { name: "Slurm", env: "slurm", question: ["sinfo", "--noheader", "--format=%P %D %T"] },
  { name: "Grid Engine", env: "sge", question: ["qhost", "-q"] },
  { name: "PBS", env: "pbs", question: ["pbsnodes", "-aS"] },
  { name: "LSF", env: "lsf", question: ["bqueues", "-w"] },
  { name: "HTCondor", env: "htcondor", question: ["condor_status", "-total"] },
  { name: "OAR", env: "oar", question: ["oarnodes", "-s"] },
  { name: "Moab", env: "moab", question: ["showq", "-s"] },
  { name: "Kubernetes", env: "kube", question: ["kubectl", "get", "nodes", "--request-timeout=5s", "-o", "name"] },
  { name: "ssh", env: "ssh", question: ["ssh", "-V"], meaning: "is installed; hosts are asked if a config names them" },
];

/**
 * Runs the command of every backend, all at the same time; the results have a fixed order. The `needed` backend must
 * work: without it the config cannot be run from here.
 */
export async function* checkBackends(timeoutMs: number, needed?: ParallelConfig): AsyncGenerator<Finding> {
  const answers = backends.map(async (backend) => {
    const isNeeded = backend.env === needed?.env;
    const question = isNeeded ? questionFor(backend, needed) : backend.question;
    const finding = describe(backend, await tryProgram(question, timeoutMs));
    return isNeeded && mustAnswer(backend) ? insistOn(finding, backend) : finding;
  });
  for (const answer of answers) yield await answer;
}

/** The call that the run itself will make, if it differs: a user who may create jobs in a namespace may not see nodes. */
function questionFor({ env, question }: Backend, { options }: ParallelConfig): Backend["question"] {
  if (env !== "kube") return question;
  const where = ["context", "namespace"].filter((name) => options[name] != null);
  const place = where.map((name) => `--${name}=${String(options[name])}`);
  return ["kubectl", ...place, "get", "jobs", "--request-timeout=5s", "-o", "name"];
}

// GPUs may be given without nvidia-smi (CUDA_VISIBLE_DEVICES): the check of `parallel` has looked for them.
function mustAnswer({ env }: Backend): boolean {
  return env !== "local_gpu";
}

function insistOn(finding: Finding, { env }: Backend): Finding {
  if (finding.state === "fine") return finding;
  const hint = `The config says env: ${env}. Start it where ${finding.what} answers, or override: parallel.env=process.`;
  return { ...finding, state: "wrong", hint };
}

function describe({ name, env, question: [program], meaning }: Backend, answer: ProgramAnswer): Finding {
  if (answer.kind === "absent")
    return { state: "missing", what: name, detail: `${program} is not installed; env: ${env} cannot be used` };
  if (answer.kind !== "answer") {
    const why = answer.kind === "silent" ? "it did not answer in time (--timeout)" : answer.why;
    return {
      state: "note",
      what: name,
      detail: `${program} is installed but does not answer: ${why}`,
      hint: `env: ${env} will not work from this host.`,
    };
  }
  if (meaning !== undefined) return { state: "fine", what: name, detail: `${program} ${meaning}` };
  const [first, ...more] = answer.text.split("\n").filter((line) => line.trim() !== "");
  const rest = more.length > 0 ? ` (and ${more.length} more lines)` : "";
  return { state: "fine", what: name, detail: first === undefined ? "answers" : `answers: ${first.trim()}${rest}` };
}
