import type { ParallelEnv } from "../../src/config/parallel-envs.ts";
import { chooseScheduler } from "../../src/launchers/choose-scheduler.ts";
import { checkJobOptions } from "../../src/launchers/jobs/job-options.ts";
import type { Job } from "../../src/launchers/jobs/scheduler.ts";

/** Names that a shell or a scheduler would take apart, were they not quoted. */
export const hostileWords = [
  "with blanks",
  "it's",
  'say "hi"',
  "$(touch pwned)",
  "`touch pwned`",
  "$HOME",
  "$$(Cluster)",
  "two\nlines",
  "größe 数",
  "%j %a %I",
  "a;touch pwned;b",
  "back\\slash\\n",
  "* ?",
  "",
  "!history",
  "#BSUB -q other",
  "\n#$ -q other\n#BSUB -q other\n#PBS -q other\n#SBATCH -p other\n#OAR -q other\n#MSUB -q other\n",
];

const everywhere = {
  job_name: "speech",
  cores: 4,
  processes: 2,
  memory: "16GB",
  walltime: "1-12:30:00",
  job_script_prologue: ["module load node", 'export NAME="$HOME/x"'],
  grace: 90,
  poll_interval: 5,
};
const withQueue = { queue: "long", account: "asr" };
const kubeBasics = { image: "example.org/asr:1", volume_claim: "runs", mount_path: "/runs" };

/** Every option that the scheduler knows. */
const fullOptions: Readonly<Partial<Record<ParallelEnv, Readonly<Record<string, unknown>>>>> = {
  slurm: { ...withQueue, job_cpu: 8, job_mem: "20G", job_extra_directives: ["--gres=gpu:1"] },
  pbs: { ...withQueue, resource_spec: "select=1:ncpus=4:mem=16gb:ngpus=1", job_extra_directives: ["-m n"] },
  sge: {
    queue: "long",
    project: "asr",
    resource_spec: "gpu=1,h_vmem=20G",
    parallel_environment: "smp",
    job_extra_directives: ["-w e"],
  },
  lsf: { ...withQueue, ncpus: 8, mem: 20e9, lsf_units: "mb", use_stdin: true, job_extra_directives: ["-gpu num=1"] },
  htcondor: {
    account: "group.asr",
    disk: "1GB",
    submit_command_extra: ["-name", "schedd"],
    cancel_command_extra: ["-name", "schedd"],
    job_extra_directives: ["request_gpus = 1"],
  },
  oar: {
    ...withQueue,
    resource_spec: "/nodes=1/gpu=1",
    memory_per_core_property_name: "memcore",
    job_extra_directives: ["-t besteffort", "-p \"cluster='big'\""],
  },
  moab: { ...withQueue, resource_spec: "nodes=1:ppn=4:gpus=1,pmem=4gb", job_extra_directives: ["-m n"] },
  kube: {
    ...kubeBasics,
    queue: "long",
    namespace: "speech",
    context: "lab",
    service_account: "runner",
    image_pull_policy: "Always",
    node_selector: "pool=gpu",
    gpus: 1,
    backoff: 3,
    job_script_prologue: ["ulimit -n 4096"],
  },
};

/** Values that want to be something else. HTCondor takes none such, the others but Slurm and OAR no quotes. */
function hostileOptions(env: ParallelEnv): Readonly<Record<string, unknown>> {
  const value = "-long $(touch pwned) `touch pwned` größe;x";
  const worse = `it's "${value}" back\\slash`;
  if (env === "htcondor") return {};
  if (env === "kube") return { ...kubeBasics, image: worse, service_account: worse };
  return env === "slurm" || env === "oar" ? { queue: worse, account: worse } : { queue: value, account: value };
}

/** One job of a kind for a scheduler: with few options, with all, or with words that want to be something else. */
export function sampleJob(env: ParallelEnv, kind: "plain" | "full" | "hostile"): Job {
  const scheduler = chooseScheduler(env)!;
  const options = {
    plain: { ...(env === "kube" ? kubeBasics : {}) },
    full: { ...everywhere, ...(env === "kube" ? {} : { job_directives_skip: ["-j "] }), ...fullOptions[env] },
    hostile: { ...hostileOptions(env), walltime: "00:10:00" },
  }[kind];
  const checked = checkJobOptions({ env, nWorkers: 4, options: { node: "/usr/bin/node", ...options } }, scheduler);
  const folder = kind === "hostile" ? `/runs/${hostileWords.filter((word) => word !== "").join("/")}` : "/runs/one";
  const words = kind === "hostile" ? hostileWords : ["work", folder];
  return {
    name: "speech-1a2b3c",
    tasks: kind === "plain" ? 1 : 12,
    options: checked,
    command: ["/usr/bin/node", "/opt/millrace/worker.js", ...words],
    log: `${folder}/logs/job`,
    excluded: kind === "full" ? ["bad1", "bad2.example.org"] : [],
  };
}
