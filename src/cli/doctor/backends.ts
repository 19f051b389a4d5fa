import { askProgram, type ProgramAnswer } from "./ask-program.ts";
import type { Finding } from "./finding.ts";

/** A backend, and a question that only a working one answers: that a program is on the PATH says little. */
interface Backend {
  readonly name: string;
  readonly env: string;
  readonly question: readonly [program: string, ...args: string[]];
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
];

/** Asks every backend. They are asked at the same time; the answers come in a fixed order. */
export async function* checkBackends(patienceMs: number): AsyncGenerator<Finding> {
  const answers = backends.map(async (backend) => describe(backend, await askProgram(backend.question, patienceMs)));
  for (const answer of answers) yield await answer;
}

function describe({ name, env, question: [program] }: Backend, answer: ProgramAnswer): Finding {
  if (answer.kind === "absent")
    return { state: "missing", what: name, detail: `${program} is not here; env: ${env} cannot be used` };
  if (answer.kind !== "answer") {
    const why = answer.kind === "silent" ? "it did not answer in time (--timeout)" : answer.why;
    return {
      state: "note",
      what: name,
      detail: `${program} is here but does not answer: ${why}`,
      hint: `env: ${env} will not work from this host.`,
    };
  }
  const [first, ...more] = answer.text.split("\n").filter((line) => line.trim() !== "");
  const rest = more.length > 0 ? ` (and ${more.length} more lines)` : "";
  return { state: "fine", what: name, detail: first === undefined ? "answers" : `answers: ${first.trim()}${rest}` };
}
