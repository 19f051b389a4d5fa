import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { askProgram } from "./ask-program.ts";
import { type ClusterFolder, openClusterFolder } from "./cluster-folder.ts";
import { reservePorts } from "./reserve-ports.ts";
import {
  bootstrapFile,
  changeSettings,
  clusterSettings,
  hostFile,
  queueSettings,
  schedulerSettings,
} from "./sge-files.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { waitUntil } from "./wait-until.ts";
import { pathWithDaemons, whyNotDaemons } from "./why-not.ts";

interface GridEngineOptions {
  readonly slots?: number;
  /** The name of its only queue. */
  readonly queue?: string;
}

export interface GridEngine {
  /** What a process needs to use the cluster. */
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Runs a program of Grid Engine and returns what it printed. */
  ask(program: string, ...args: string[]): Promise<string>;
  /** Kills all at once and removes the folder. */
  stop(): Promise<void>;
}

const packaged = "/var/lib/gridengine";
const tools = "/usr/lib/gridengine";
const shared = "/usr/share/gridengine";

/** Why no Grid Engine can be started here, or undefined when it can. */
export function whyNotGridEngine(): string | undefined {
  const reason = whyNotDaemons(["sge_qmaster", "sge_execd", "qsub", "qconf", "setpriv", "bash"], { needsRoot: true });
  if (reason !== undefined) return reason;
  return existsSync(`${tools}/spoolinit`) ? undefined : "a Grid Engine that is not Debian's";
}

/** Starts a Grid Engine of this process alone, beside the packaged one, with this machine as its only host. */
export async function startGridEngine({ slots = 4, queue = "main.q" }: GridEngineOptions = {}): Promise<GridEngine> {
  const reserved = await reservePorts(2);
  const folder = openClusterFolder("sge");
  const root = join(folder.path, "root");
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: pathWithDaemons,
    SGE_ROOT: root,
    SGE_CELL: "default",
    SGE_QMASTER_PORT: `${reserved.ports[0]}`,
    SGE_EXECD_PORT: `${reserved.ports[1]}`,
    SGE_ARCH: (await askProgram(process.env, `${shared}/util/arch`, [])).trim(),
  };
  const ask = (program: string, ...args: string[]) => askProgram(environment, program, args);
  const daemons: Daemon[] = [];
  const start = async (program: string, isUp: () => Promise<boolean>) => {
    const logFile = join(folder.path, `${program}.out`);
    // Says that it is to stay in the foreground.
    const foreground = { ...environment, SGE_ND: "1" };
    const daemon = startDaemon([program], { environment: foreground, logFile });
    daemons.push(daemon);
    await waitUntil(isUp, {
      what: program,
      isHopeless: () => daemon.hasEnded(),
      details: () => readFileSync(logFile, "utf8"),
    });
  };
  // The architecture is the last column unless a letter of a bad state follows.
  const isQueueOpen = new RegExp(`^${queue}@.*${environment["SGE_ARCH"]} *$`, "m");
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.kill()));
    reserved.release();
    await folder.remove();
  };

  try {
    await prepareCell(folder, ask);
    await start("sge_qmaster", async () => (await ask("qconf", "-sh")) !== "");
    await describeCluster(folder, ask, { slots, queue });
    await start("sge_execd", async () => isQueueOpen.test(await ask("qstat", "-f")));
  } catch (error) {
    await stop();
    throw error;
  }
  return { environment, folder: folder.path, ask, stop };
}

type Ask = (program: string, ...args: string[]) => Promise<string>;

/** Makes the files and the database that the master starts from. */
async function prepareCell(folder: ClusterFolder, ask: Ask): Promise<void> {
  const root = join(folder.path, "root");
  const common = join(root, "default", "common");
  const spool = join(folder.path, "spool");
  // The daemons work as another user.
  chmodSync(folder.path, 0o755);
  for (const name of [common, join(spool, "qmaster", "job_scripts"), join(spool, "execd"), join(spool, "db")])
    mkdirSync(name, { recursive: true });
  for (const name of ["bin", "lib", "utilbin", "util"]) symlinkSync(join(packaged, name), join(root, name));
  writeFileSync(join(common, "bootstrap"), bootstrapFile(spool));
  writeFileSync(join(common, "act_qmaster"), `${hostname()}\n`);
  // The name of a machine without a network is often another one of localhost.
  writeFileSync(join(common, "host_aliases"), `${hostname()} localhost\n`);
  const settings = join(folder.path, "configuration");
  const defaults = readFileSync(`${shared}/default-configuration`, "utf8");
  writeFileSync(settings, changeSettings(defaults, clusterSettings(spool)));

  await ask("chown", "-R", "sgeadmin:sgeadmin", join(root, "default"), spool);
  const asOwner = (...command: string[]) =>
    ask("setpriv", "--reuid=sgeadmin", "--regid=sgeadmin", "--clear-groups", ...command);
  await asOwner(`${tools}/spoolinit`, "berkeleydb", "libspoolb", join(spool, "db"), "init");
  const fill = (...args: string[]) => asOwner(`${tools}/spooldefaults`, ...args);
  await fill("configuration", settings);
  await fill("complexes", `${shared}/util/resources/centry`);
  await fill("usersets", `${shared}/util/resources/usersets`);
  await fill("managers", "root", "sgeadmin");
}

/** Registers at the running master its host, its scheduler and its queue. */
async function describeCluster(
  folder: ClusterFolder,
  ask: Ask,
  { slots, queue: qname }: Required<GridEngineOptions>,
): Promise<void> {
  const host = hostname();
  const file = (name: string, text: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  await ask("qconf", "-as", host);
  await ask("qconf", "-Ae", file("host", hostFile(host)));
  const scheduler = changeSettings(await ask("qconf", "-ssconf"), schedulerSettings);
  await ask("qconf", "-Msconf", file("scheduler", scheduler));
  // Jobs of other clusters have the same numbers, so their temporary folders would have the same names.
  const tmpdir = join(folder.path, "tmp");
  mkdirSync(tmpdir);
  chmodSync(tmpdir, 0o1777);
  const queue = changeSettings(await ask("qconf", "-sq"), queueSettings({ qname, hostlist: host, slots, tmpdir }));
  await ask("qconf", "-Aq", file("queue", queue));
}
