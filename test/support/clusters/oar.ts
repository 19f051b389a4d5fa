import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { askProgram } from "./ask-program.ts";
import { openClusterFolder } from "./cluster-folder.ts";
import { reservePorts } from "./reserve-ports.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { waitUntil } from "./wait-until.ts";
import { findProgram, pathWithDaemons, whyNotDaemons } from "./why-not.ts";

interface OarOptions {
  /** Of each node. */
  readonly cores?: number;
  /** Beside those that OAR begins with. */
  readonly queues?: readonly string[];
}

export interface OarCluster {
  /** What a process needs to use the cluster: `oarsub`, `oarstat` and `oardel` on its PATH speak to it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Addresses of this machine that OAR takes for nodes. */
  readonly nodes: readonly string[];
  ask(program: string, ...args: string[]): Promise<string>;
  /** Kills all at once and removes the folder. */
  stop(): Promise<void>;
}

const programs = "/usr/lib/oar";
const packaged = "/etc/oar";
const scheduler = "oar_sched_gantt_with_timesharing";

/** Why no OAR can be started here, or undefined when it can. */
export function whyNotOar(): string | undefined {
  const reason = whyNotDaemons(["sshd", "ssh", "perl", "setpriv", "mount", "oar-database"], { needsRoot: true });
  if (reason !== undefined) return reason;
  const files = [`${programs}/Almighty`, `${programs}/oarsub`, `${packaged}/sshd_config`];
  if (!files.every((file) => existsSync(file))) return "not installed: oar-server, oar-user or oar-node";
  return postgresFolder() === undefined ? "not installed: postgresql" : undefined;
}

/** Starts an OAR of this process alone, with a database of its own and two addresses of this machine as its nodes. */
export async function startOar({ cores = 2, queues = [] }: OarOptions = {}): Promise<OarCluster> {
  const reserved = await reservePorts(3);
  const [databasePort, serverPort, sshPort] = reserved.ports as [number, number, number];
  const folder = openClusterFolder("oar");
  const at = (name: string) => join(folder.path, name);
  const nodes = ["127.0.0.1", "127.0.0.2"];
  // What OAR's own small programs set, which always take the packaged configuration.
  const system: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: [`${programs}/oardodo`, pathWithDaemons].join(delimiter),
    OARCONFFILE: at("oar.conf"),
    OARDIR: programs,
    OARUSER: "oar",
    OARDO_USER: "root",
    OARDO_UID: "0",
  };
  const environment = { ...system, PATH: [at("bin"), system["PATH"]].join(delimiter) };
  const ask = (program: string, ...args: string[]) => askProgram(environment, program, args);
  const daemons: Daemon[] = [];
  const start = async (command: readonly string[], what: string, isUp: () => Promise<boolean>) => {
    const logFile = at(`${what}.out`);
    const daemon = startDaemon(command, { environment: system, logFile });
    daemons.push(daemon);
    const details = () => readFileSync(logFile, "utf8");
    await waitUntil(isUp, { what, isHopeless: () => daemon.hasEnded(), details });
  };
  const stop = async () => {
    await Promise.all(daemons.map((daemon) => daemon.kill()));
    reserved.release();
    await folder.remove();
  };

  try {
    chmodSync(folder.path, 0o755);
    for (const name of ["bin", "runtime", "database", "socket"]) mkdirSync(at(name));
    const numbers = async (user: string) =>
      (await Promise.all(["-u", "-g"].map((kind) => ask("id", kind, user)))).map(Number) as [number, number];
    const [oar, database] = [await numbers("oar"), await numbers("postgres")];
    chownSync(at("runtime"), ...oar);
    for (const name of ["database", "socket"]) chownSync(at(name), ...database);
    writeFileSync(at("oar.conf"), configuration(folder.path, { databasePort, serverPort, sshPort }));
    writeFileSync(at("oar.log"), "");
    for (const name of ["oar.conf", "oar.log"]) chownSync(at(name), ...oar);
    for (const name of ["oarsub", "oarstat", "oardel"])
      writeFileSync(at(`bin/${name}`), clientScript(name, system["OARCONFFILE"]!), { mode: 0o755 });

    const postgres = postgresFolder()!;
    const asUser = (user: string) => ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];
    const [setpriv, ...dropping] = asUser("postgres") as [string, ...string[]];
    await ask(setpriv, ...dropping, `${postgres}/initdb`, "-D", at("database"), "-A", "trust", "--no-sync");
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${databasePort}`,
      `unix_socket_directories=${at("socket")}`,
      "fsync=off",
    ];
    await start(
      [
        ...asUser("postgres"),
        `${postgres}/postgres`,
        "-D",
        at("database"),
        ...settings.flatMap((text) => ["-c", text]),
      ],
      "postgres",
      async () => (await ask(`${postgres}/pg_isready`, "-h", "127.0.0.1", "-p", `${databasePort}`)) !== "",
    );
    await ask(
      "oar-database",
      "--create",
      `--conf=${at("oar.conf")}`,
      "--db-admin-user=postgres",
      "--db-admin-pass=any",
    );
    const manage = (program: string, ...args: string[]) => ask("perl", `${programs}/${program}`, ...args);
    // It keeps root from submitting.
    await manage("oaradmissionrules", "-d", "2");
    for (const [name, ...kind] of [["core"], ["host", "-c"]]) await manage("oarproperty", "-a", name!, ...kind);
    for (const node of nodes)
      for (let core = 1; core <= cores; core++)
        await manage("oarnodesetting", "-a", "-h", node, "-p", `host=${node}`, "-p", `core=${core}`);

    for (const queue of queues) await manage("oarnotify", "--add-queue", `${queue},3,${scheduler}`);

    mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    await start(["sh", "-c", sshScript, "sh", findProgram("sshd")!, `${sshPort}`], "sshd", async () => {
      const login = ["-p", `${sshPort}`, ...sshOptions, "oar@127.0.0.1", "true"];
      const [program, ...more] = asUser("oar") as [string, ...string[]];
      await ask(program, ...more, "env", "HOME=/var/lib/oar", "ssh", ...login);
      return true;
    });
    await start(
      [...asUser("oar"), "env", "HOME=/var/lib/oar", "OARDO_USER=oar", "perl", `${programs}/Almighty`],
      "Almighty",
      async () => readFileSync(at("oar.log"), "utf8").includes("Start Almighty"),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { environment, folder: folder.path, nodes, ask, stop };
}

const sshOptions = [
  "-e",
  "none",
  "-o",
  "StrictHostKeyChecking=no",
  "-o",
  "UserKnownHostsFile=/dev/null",
  "-o",
  "LogLevel=ERROR",
];

// OAR has every shell of a job read the user's .bashrc, which on a developer's machine may do anything, for instance start
// another shell. Where it is, the list of users says, not $HOME.
const sshScript = `
bashrc="$(getent passwd "$(id -u)" | cut -d: -f6)/.bashrc"
[ ! -e "$bashrc" ] || mount --bind /dev/null "$bashrc" || exit
exec "$1" -D -f ${packaged}/sshd_config -p "$2" -o "Port=$2" -o ListenAddress=127.0.0.1 -o ListenAddress=127.0.0.2 -o PidFile=none
`;

function configuration(
  folder: string,
  ports: Readonly<Record<"databasePort" | "serverPort" | "sshPort", number>>,
): string {
  const settings: Readonly<Record<string, string | number>> = {
    DB_HOSTNAME: "127.0.0.1",
    DB_PORT: ports.databasePort,
    DB_BASE_PASSWD: "oar",
    DB_BASE_PASSWD_RO: "oar_ro",
    SERVER_HOSTNAME: "localhost",
    SERVER_PORT: ports.serverPort,
    SCHEDULER_JOB_SECURITY_TIME: 1,
    OAR_RUNTIME_DIRECTORY: `${folder}/runtime`,
    LOG_FILE: `${folder}/oar.log`,
    OPENSSH_CMD: `/usr/bin/ssh -p ${ports.sshPort} ${sshOptions.join(" ")}`,
  };
  let text = readFileSync(`${packaged}/oar.conf`, "utf8");
  for (const [name, value] of Object.entries(settings))
    text = text.replace(new RegExp(`^#?${name}=.*$`, "m"), () => `${name}="${value}"`);
  // Without control groups.
  return text.replace(/^JOB_RESOURCE_MANAGER_PROPERTY_DB_FIELD/m, "#$&");
}

/** The program as the packaged one would start it, but with the configuration of this cluster. */
function clientScript(name: string, configurationFile: string): string {
  return `#!/bin/sh
export OARCONFFILE='${configurationFile}' OARDIR=${programs} OARUSER=oar OARDO_USER=root OARDO_UID=0
export PATH="${programs}/oardodo:$PATH"
exec setpriv --reuid=oar --regid=oar --init-groups perl ${programs}/${name} "$@"
`;
}

function postgresFolder(): string | undefined {
  const parent = "/usr/lib/postgresql";
  if (!existsSync(parent)) return undefined;
  return readdirSync(parent)
    .map((version) => `${parent}/${version}/bin`)
    .find((bin) => existsSync(`${bin}/postgres`) && existsSync(`${bin}/initdb`));
}
