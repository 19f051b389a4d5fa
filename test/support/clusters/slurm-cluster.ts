import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askProgram } from "./ask-program.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { gresConf, pretendedGpus, type SlurmHost, slurmConf } from "./slurm-conf.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { waitUntil } from "./wait-until.ts";
import { pathWithDaemons } from "./why-not.ts";

export interface SlurmOptions {
  /** Default 2. */
  readonly nodes?: number;
  /** Default 4; more than the machine has is fine. */
  readonly cpusPerNode?: number;
  /** Pretended ones, at most four; default 0. */
  readonly gpusPerNode?: number;
  /** Lines of slurm.conf to set or to replace, such as MaxArraySize. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Whole lines to add to slurm.conf, such as another partition. */
  readonly lines?: readonly string[];
}

export interface SlurmJob {
  /** `7`, or `7_2` for a task of an array. */
  readonly id: string;
  readonly state: string;
  /** Empty until it has started. */
  readonly node: string;
  readonly reason: string;
}

export interface SlurmCluster {
  /** What a process needs to use the cluster. */
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly nodeNames: readonly string[];
  /** SIGKILL to slurmd, its steps and its jobs: the power is gone. Slurm notices after some ten seconds. */
  stopNode(name: string): Promise<void>;
  /** Returns when the node is idle or busy again. */
  startNode(name: string): Promise<void>;
  /** SIGKILL; jobs continue. */
  killController(): Promise<void>;
  startController(): Promise<void>;
  /** Its jobs fail or are requeued at once; the node reports back by itself. */
  setNodeDown(name: string): Promise<void>;
  /** Runs a program of Slurm and returns what it printed. */
  ask(program: string, ...args: string[]): Promise<string>;
  /** Such as `idle`, `mixed`, `down`; a `*` at its end says that the node does not answer. */
  nodeState(name: string): Promise<string>;
  /** All jobs that the controller knows, ended ones too, each task of an array by itself. */
  jobs(): Promise<SlurmJob[]>;
  /** Kills all at once and removes the folder. */
  stop(): Promise<void>;
}

export interface SlurmPlace {
  readonly folder: ClusterFolder;
  readonly controller: SlurmHost;
  readonly nodes: readonly SlurmHost[];
  /** What the machines see as /etc/hosts. */
  readonly hosts?: string;
  /** A folder of programs that come before Slurm's own. */
  readonly programs?: string;
  /** Gives the addresses back. */
  release(): Promise<void> | void;
}

/** Runs a controller and its nodes at the given addresses; returns when all nodes are idle. */
export async function runSlurmCluster(place: SlurmPlace, options: SlurmOptions): Promise<SlurmCluster> {
  const { folder, controller, nodes } = place;
  const confFile = writeConf(place, options);
  const environment = {
    ...process.env,
    SLURM_CONF: confFile,
    PATH: place.programs === undefined ? pathWithDaemons : `${place.programs}:${pathWithDaemons}`,
  };
  const names = place.hosts === undefined ? {} : { hostsFile: join(folder.path, "hosts") };
  if (place.hosts !== undefined) writeFileSync(join(folder.path, "hosts"), place.hosts);
  const daemons = new Map<string, Daemon>();
  const ask = (program: string, ...args: string[]) => askProgram(environment, program, args);

  const start = (host: SlurmHost, ...command: string[]) => {
    if (daemons.get(host.name)?.hasEnded() === false) throw new Error(`${host.name} is running already`);
    const logFile = join(folder.path, "log", `${host.name}.out`);
    daemons.set(host.name, startDaemon(command, { ...host, ...names, environment, logFile }));
  };
  const waitFor = (what: string, host: SlurmHost, question: () => Promise<boolean>) =>
    waitUntil(question, {
      what,
      isHopeless: () => daemons.get(host.name)!.hasEnded(),
      details: () => endsOfLogs(join(folder.path, "log")),
    });
  const startController = async () => {
    start(controller, "slurmctld", "-D", "-f", confFile);
    await waitFor("the controller", controller, async () => (await ask("scontrol", "ping")).includes("is UP"));
  };
  const nodeState = async (name: string) => (await ask("sinfo", "-h", "-N", "-n", name, "-o", "%T")).split("\n")[0]!;
  const startNode = async (name: string) => {
    const host = nodes.find((node) => node.name === name);
    if (host === undefined) throw new Error(`no node ${name}: the cluster has ${nodes.map((node) => node.name)}`);
    start(host, "slurmd", "-D", "-f", confFile, "-N", name);
    await waitFor(`node ${name}`, host, async () => /^(idle|mixed|allocated)$/.test(await nodeState(name)));
  };
  const stop = async () => {
    await Promise.all([...daemons.values()].map((daemon) => daemon.kill()));
    await place.release();
    await folder.remove();
  };

  try {
    await startController();
    await Promise.all(nodes.map(({ name }) => startNode(name)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    environment,
    folder: folder.path,
    nodeNames: nodes.map(({ name }) => name),
    startNode,
    stopNode: async (name) => daemons.get(name)?.kill(),
    startController,
    killController: async () => daemons.get(controller.name)?.kill(),
    setNodeDown: async (name) => {
      await ask("scontrol", "update", `nodename=${name}`, "state=down", "reason=test");
    },
    ask,
    nodeState,
    jobs: async () => parseJobs(await ask("squeue", "-h", "-r", "-t", "all", "-o", "%i|%T|%N|%r")),
    stop,
  };
}

function writeConf({ folder, controller, nodes }: SlurmPlace, options: SlurmOptions): string {
  const { cpusPerNode = 4, gpusPerNode = 0, settings = {}, lines = [] } = options;
  if (gpusPerNode > pretendedGpus.length) throw new Error(`at most ${pretendedGpus.length} GPUs can be pretended`);
  const conf = { folder: folder.path, controller, nodes, cpusPerNode, gpusPerNode, settings, lines };
  for (const name of ["state", "log", "run", ...nodes.map((node) => join("spool", node.name))])
    mkdirSync(join(folder.path, name), { recursive: true });
  const file = join(folder.path, "slurm.conf");
  writeFileSync(file, slurmConf(conf));
  if (gpusPerNode > 0) writeFileSync(join(folder.path, "gres.conf"), gresConf(conf));
  return file;
}

/** The reason comes last: it may hold any character. */
function parseJobs(text: string): SlurmJob[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [id, state, node, ...reason] = line.split("|");
      return { id: id!, state: state!, node: node!, reason: reason.join("|") };
    });
}

function endsOfLogs(folder: string): string {
  return readdirSync(folder)
    .map((name) => `--- ${name}\n${readFileSync(join(folder, name), "utf8").slice(-1500)}`)
    .join("\n");
}
