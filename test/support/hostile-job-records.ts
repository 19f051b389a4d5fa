/** A record of a submission as an honest driver writes it. */
export function honestRecord(name: string, env: string, id: string | undefined): Record<string, unknown> {
  return {
    version: 1,
    name,
    env,
    tasks: 1,
    processes: 1,
    graceSeconds: 60,
    own: {},
    ...(id === undefined ? {} : { id }),
  };
}

/** The id of an honest submission, for each scheduler. */
export const honestIds = {
  slurm: "4711",
  pbs: "4711[].server",
  sge: "4711",
  lsf: "4711",
  htcondor: "4711",
  oar: "4711",
  moab: "Moab.4711",
  kube: "millrace-good01",
} as const;

/** Ids that no scheduler gives. */
export const hostileIds: readonly unknown[] = [
  "",
  "-1",
  "-u",
  "--kubeconfig=/hostile/kubeconfig",
  "--user=root",
  "--all",
  "*",
  "1 2",
  "1,2",
  "1\n2",
  "1;touch hostile",
  "$(touch hostile)",
  "1) OR (1=1",
  "1 OR 1=1",
  "../../hostile",
  "hostile\u001b[2J",
  "é",
  "4".repeat(5000),
  4711,
  null,
  ["4711"],
  { id: "4711" },
];

/** Names that no submission has; none of them is the name of a file either. */
export const hostileNames: readonly unknown[] = [
  "",
  ".",
  "..",
  "-N",
  "--all",
  "../../../canary/precious",
  "/canary/precious",
  "a/b",
  "a.b",
  "a'; DROP TABLE jobs; --",
  'a" || true || "',
  "a b",
  "a\nb",
  "x".repeat(5000),
  5,
  null,
  {},
];

/** For every other field of a record what must not be believed. */
export const hostileFields: Readonly<Record<string, readonly unknown[]>> = {
  version: [0, 2, "1", null],
  env: ["", "nosuch", "../slurm", "__proto__", 5, null, []],
  tasks: [0, -1, 1.5, 1e9, 1e300, "1", null, [1]],
  processes: [0, -1, 1e9, "2", null],
  walltimeSeconds: [0, -1, "1h", 1e300, {}],
  graceSeconds: [-1, "x", null, 1e300],
  threadsPerWorker: [0, "many", 1e12],
  maxHeapMb: [0, "all", -5],
  own: ["text", 5, ["a"], { context: {} }, { namespace: "a\nb" }, { "--x": "y" }],
  logDirectory: [5, "relative/folder", "/with\nbreak", ""],
  host: ["-oProxyCommand=touch hostile", "a b", "a\nb", "", 5],
  isClosed: ["no", 1],
  isUnwanted: ["no", 1],
};
