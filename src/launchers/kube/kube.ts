import { MillraceError } from "../../errors/errors.ts";
import { defaultShebang } from "../jobs/job-options.ts";
import type { Job, Scheduler, SchedulerOptions, TaskState, TaskStatus } from "../jobs/scheduler.ts";

const label = "millrace-job";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";
const container = "worker";
const requeueCode = 99;
const keptSeconds = 7 * 86_400;

/** `env: kube`: an Indexed Job, applied with kubectl. */
export const kube: Scheduler = {
  env: "kube",
  title: "Kubernetes",
  optionNames: [
    "backoff",
    "context",
    "gpus",
    "image",
    "image_pull_policy",
    "mount_path",
    "namespace",
    "node_selector",
    "service_account",
    "volume_claim",
  ],
  placeOptions: ["context", "namespace"],
  taskVariable: "JOB_COMPLETION_INDEX",
  firstTask: 0,
  idPattern: /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
  canExclude: true,

  render: (job) => `${JSON.stringify(manifest(job), null, 2)}\n`,
  submit: ({ options }, file) => kubectl(options.schedulerOptions, ["create", "-f", file, "-o", "name"]),
  parseSubmitted: (answer) => /^job(?:\.batch)?\/(\S+)$/m.exec(answer.trim())?.[1],

  status: (ids, schedulerOptions) =>
    kubectl(schedulerOptions, ["get", "jobs,pods", "-l", `${label} in (${ids.join(",")})`, "-o", "json"]),
  parseStatus,

  cancel: (ids, schedulerOptions) =>
    kubectl(schedulerOptions, ["delete", "jobs", "--wait=false", "--ignore-not-found", "--", ...ids]),
  find: (name, schedulerOptions) =>
    kubectl(schedulerOptions, ["get", "jobs", "-l", `${label}=${name.toLowerCase()}`, "-o", "json"]),
  parseFound: (answer, name) =>
    readItems(answer).find(({ metadata }) => metadata.name === name.toLowerCase())?.metadata.name,

  // A pod that ended with this code is replaced and not counted as failed.
  requeue: ({ JOB_COMPLETION_INDEX: index }) => (index === undefined ? undefined : { exitCode: requeueCode }),
  // For pods that were evicted, for example. Kubernetes looks only at the exit code: after 0 the index would count as done.
  leavingCode: requeueCode,
};

function kubectl(schedulerOptions: SchedulerOptions, args: readonly string[]): { program: string; args: string[] } {
  const where = (["context", "namespace"] as const).flatMap((name) =>
    schedulerOptions[name] === undefined ? [] : [`--${name}=${schedulerOptions[name]}`],
  );
  return { program: "kubectl", args: [...where, ...args] };
}

function manifest(job: Job): object {
  const { tasks, options, excluded } = job;
  const { walltimeSeconds, graceSeconds, queue, account, schedulerOptions } = options;
  if (account !== undefined) throw refused("account", "Kubernetes has no accounts to charge", "Leave it out.");
  if (options.extraDirectives.length > 0)
    throw refused("job_extra_directives", "a manifest has no directives", "Leave it out.");
  if (options.skippedDirectives.length > 0)
    throw refused("job_directives_skip", "a manifest has no directives", "Leave it out.");
  if (options.shebang !== defaultShebang)
    throw refused("shebang", "the container runs /bin/sh, there is no script file", "Leave it out.");
  const name = job.name.toLowerCase();
  const labels = { [label]: name };
  const selector = schedulerOptions["node_selector"];
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name,
      ...(schedulerOptions["namespace"] === undefined ? {} : { namespace: String(schedulerOptions["namespace"]) }),
      // Kubernetes itself has no queues; Kueue has.
      labels: { ...labels, ...(queue === undefined ? {} : { "kueue.x-k8s.io/queue-name": queue }) },
    },
    spec: {
      completionMode: "Indexed",
      completions: tasks,
      parallelism: tasks,
      backoffLimitPerIndex: Number(schedulerOptions["backoff"] ?? 6),
      // The job is kept for a limited time, so that its status can be read.
      ttlSecondsAfterFinished: keptSeconds,
      podFailurePolicy: {
        rules: [
          {
            action: "Ignore",
            onExitCodes: { containerName: container, operator: "In", values: [requeueCode] },
            // Required by the schema of older versions; an empty list counts as none.
            onPodConditions: [],
          },
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        ],
      },
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          terminationGracePeriodSeconds: Math.ceil(graceSeconds),
          ...(walltimeSeconds === undefined ? {} : { activeDeadlineSeconds: walltimeSeconds }),
          ...(schedulerOptions["service_account"] === undefined
            ? {}
            : { serviceAccountName: String(schedulerOptions["service_account"]) }),
          ...(selector === undefined ? {} : { nodeSelector: readSelector(selector) }),
          ...(excluded.length === 0 ? {} : { affinity: notOn(excluded) }),
          containers: [containerOf(job)],
          volumes: [{ name: "run", persistentVolumeClaim: { claimName: required(schedulerOptions, "volume_claim") } }],
        },
      },
    },
  };
}

function containerOf({ options, command, log }: Job): object {
  const { cores, memoryBytes, schedulerOptions, prologue } = options;
  const amounts = {
    ...(cores === undefined ? {} : { cpu: String(cores) }),
    ...(memoryBytes === undefined ? {} : { memory: `${Math.ceil(memoryBytes / 1024 ** 2)}Mi` }),
    ...(schedulerOptions["gpus"] === undefined ? {} : { "nvidia.com/gpu": String(schedulerOptions["gpus"]) }),
  };
  const script = [
    `exec >>"$0.$JOB_COMPLETION_INDEX.log" 2>&1`,
    ...numberedDevices(Number(schedulerOptions["gpus"] ?? 0)),
    ...prologue,
    'exec "$@"',
  ].join("\n");
  return {
    name: container,
    image: required(schedulerOptions, "image"),
    ...(schedulerOptions["image_pull_policy"] === undefined
      ? {}
      : { imagePullPolicy: String(schedulerOptions["image_pull_policy"]) }),
    // The words are arguments of the script, not part of it, so they need no quotes.
    command: ["/bin/sh", "-c", script, log, ...command].map(unexpanded),
    resources: { requests: amounts, limits: amounts },
    volumeMounts: [{ name: "run", mountPath: required(schedulerOptions, "mount_path") }],
  };
}

/** A container sees its devices, numbered from 0, but usually has no variable that lists them. */
function numberedDevices(gpus: number): string[] {
  const devices = Array.from({ length: gpus }, (_, device) => device).join(",");
  return gpus > 0 ? [`export CUDA_VISIBLE_DEVICES="\${CUDA_VISIBLE_DEVICES-${devices}}"`] : [];
}

/** Kubernetes replaces $(NAME) in a command with a variable; `$$` is one dollar. */
function unexpanded(word: string): string {
  return word.replaceAll("$", "$$$$");
}

function notOn(nodes: readonly string[]): object {
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "NotIn", values: [...nodes] }] },
        ],
      },
    },
  };
}

/** Reads `key=value`, or a list of such texts. */
function readSelector(value: SchedulerOptions[string]): Record<string, string> {
  const pairs = Array.isArray(value) ? value : String(value).split(",");
  return Object.fromEntries(
    pairs.map((pair: string) => {
      const [key, ...rest] = pair.split("=");
      return [key!.trim(), rest.join("=").trim()];
    }),
  );
}

function required(schedulerOptions: SchedulerOptions, name: string): string {
  if (schedulerOptions[name] !== undefined) return String(schedulerOptions[name]);
  throw new MillraceError("BAD_OPTION", `parallel.options.${name} is missing: env kube needs it.`, {
    hint: "image holds Node.js and your program; volume_claim is the volume with the run folder, mounted at mount_path.",
  });
}

function refused(name: string, why: string, hint: string): MillraceError {
  return new MillraceError("BAD_OPTION", `parallel.options.${name} is not taken: ${why}.`, { hint });
}

interface Item {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly nodeName?: string; readonly completions?: number };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly completedIndexes?: string;
    readonly failedIndexes?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly waiting?: { readonly reason?: string };
        readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
      };
    }[];
  };
}

function readItems(answer: string): Item[] {
  try {
    return (JSON.parse(answer) as { items?: Item[] }).items ?? [];
  } catch {
    return [];
  }
}

function parseStatus(answer: string): TaskStatus[] {
  const items = readItems(answer);
  const pods = items.filter(({ kind }) => kind === "Pod").sort((a, b) => createdAt(a) - createdAt(b));
  return items
    .filter(({ kind }) => kind === "Job")
    .flatMap((job) => {
      const podsOfJob = pods.filter(({ metadata }) => metadata.labels?.[label] === job.metadata.name);
      // If a task has several pods, the newest counts.
      const byTask = new Map(podsOfJob.map((pod) => [Number(pod.metadata.annotations?.[indexAnnotation]), pod]));
      const done = readIndexes(job.status?.completedIndexes);
      const failed = readIndexes(job.status?.failedIndexes);
      const failedCondition = job.status?.conditions?.find(
        ({ type, status }) => type === "Failed" && status === "True",
      );
      return Array.from({ length: job.spec?.completions ?? 0 }, (_, task): TaskStatus => {
        const pod = byTask.get(task);
        const state = done.has(task)
          ? "ended"
          : failed.has(task) || (failedCondition !== undefined && !isAlive(pod))
            ? "lost"
            : stateOf(pod);
        return {
          id: job.metadata.name,
          task,
          state,
          detail: detailOf(pod, failedCondition?.reason),
          node: pod?.spec?.nodeName,
        };
      });
    });
}

function createdAt({ metadata }: Item): number {
  return Date.parse(metadata.creationTimestamp ?? "") || 0;
}

function isAlive(pod: Item | undefined): boolean {
  return pod?.status?.phase === "Pending" || pod?.status?.phase === "Running";
}

const phases: Readonly<Record<string, TaskState>> = {
  Pending: "pending",
  Running: "running",
  Succeeded: "ended",
  // Not among the failed indexes: another pod will be started.
  Failed: "pending",
};

function stateOf(pod: Item | undefined): TaskState {
  return pod === undefined ? "pending" : (phases[pod.status?.phase ?? ""] ?? "unknown");
}

function detailOf(pod: Item | undefined, failedCondition: string | undefined): string {
  if (pod === undefined) return failedCondition ?? "no pod yet";
  const state = pod.status?.containerStatuses?.[0]?.state;
  const why = pod.status?.reason ?? state?.waiting?.reason ?? state?.terminated?.reason;
  const code = state?.terminated?.exitCode;
  return [pod.status?.phase, why, code === undefined ? undefined : `exit code ${code}`].filter(Boolean).join(", ");
}

/** `0-2,5` as numbers. */
function readIndexes(text: string | undefined): Set<number> {
  return new Set(
    (text ?? "").split(",").flatMap((part) => {
      const match = /^(\d+)(?:-(\d+))?$/.exec(part.trim());
      if (match === null) return [];
      const first = Number(match[1]);
      return Array.from({ length: Number(match[2] ?? first) - first + 1 }, (_, i) => first + i);
    }),
  );
}
