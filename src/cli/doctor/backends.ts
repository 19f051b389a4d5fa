import { execFile } from "node:child_process";
import { errnoOf } from "../../shared/errors.ts";
import type { Finding } from "./finding.ts";

/** A backend, and a question that only a working one answers: that a program is on the PATH says little. */
interface Backend {
  readonly name: string;
  readonly question: readonly [program: string, ...args: string[]];
  readonly env: string;
}

const backends: readonly Backend[] = [
  { name: "NVIDIA GPUs", env: "local_gpu", question: ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"] },
  { name: "Slurm", env: "slurm", question: ["sinfo", "--noheader", "--format=%P %D %T"] },
  { name: "Grid Engine", env: "sge", question: ["qhost", "-q"] },
  { name: "PBS", env: "pbs", question: ["pbsnodes", "-aS"] },
  { name: "LSF", env: "lsf", question: ["bqueues", "-w"] },
  { name: "HTCondor", env: "htcondor", question: ["condor_status", "-total"] },
  { name: "OAR", env: "oar", question: ["oarnodes", "-s"] },
  { name: "Kubernetes", env: "kube", question: ["kubectl", "get", "nodes", "--request-timeout=5s", "-o", "name"] },
];

const patienceMs = 8000;

/** Asks every backend. They are asked at the same time; the answers come in a fixed order. */
export async function* checkBackends(): AsyncGenerator<Finding> {
  for (const answer of backends.map(ask)) yield await answer;
}

function ask({ name, question: [program, ...args], env }: Backend): Promise<Finding> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: patienceMs, encoding: "utf8" }, (error, stdout, stderr) => {
      if (error === null) {
        const lines = stdout
          .trim()
          .split("\n")
          .filter((line) => line !== "");
        resolve({
          state: "fine",
          what: name,
          detail:
            lines.length === 0
              ? "answers"
              : `answers: ${lines[0]}${lines.length > 1 ? ` (and ${lines.length - 1} more lines)` : ""}`,
        });
      } else if ((error as { code?: unknown }).code === "ENOENT" || errnoOf(error) === "ENOENT") {
        resolve({ state: "missing", what: name, detail: `${program} is not here; env: ${env} cannot be used` });
      } else {
        const why = error.killed ? `no answer within ${patienceMs / 1000} s` : (stderr.trim().split("\n")[0] ?? "");
        resolve({
          state: "note",
          what: name,
          detail: `${program} is here but does not answer${why === "" ? "" : `: ${why}`}`,
          hint: `env: ${env} will not work from this host.`,
        });
      }
    });
  });
}
