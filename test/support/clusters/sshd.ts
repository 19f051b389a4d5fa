import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { askProgram } from "./ask-program.ts";
import { openClusterFolder } from "./cluster-folder.ts";
import { reservePorts } from "./reserve-ports.ts";
import { type Daemon, startDaemon } from "./start-daemon.ts";
import { waitUntil } from "./wait-until.ts";
import { findProgram, isRoot, pathWithDaemons, whyNotDaemons } from "./why-not.ts";

export interface SshHosts {
  /** `node1`, `node2`, …: the hosts of the configuration. */
  readonly hostNames: readonly string[];
  readonly configFile: string;
  /** What to hand to `ssh`, `scp` or `sftp` before the host. */
  readonly options: readonly string[];
  readonly folder: string;
  /** Runs a command line on a host and returns what it printed. */
  ask(host: string, command: string): Promise<string>;
  /** SIGKILL to the host's daemon and to all that was started through it. */
  stopHost(host: string): Promise<void>;
  startHost(host: string): Promise<void>;
  /** Kills all at once and removes the folder. */
  stop(): Promise<void>;
}

/** Why no sshd can be started here, or undefined when it can. */
export function whyNotSshd(): string | undefined {
  return whyNotDaemons(["sshd", "ssh", "ssh-keygen", "hostname", "setpriv"]);
}

/** Starts an sshd on loopback for each host, with keys of its own; one logs in as the user of the tests. */
export async function startSshd({ hosts = 2 }: { readonly hosts?: number } = {}): Promise<SshHosts> {
  const reserved = await reservePorts(hosts);
  const { path: folder, remove } = openClusterFolder("sshd");
  const hostNames = reserved.ports.map((_port, i) => `node${i + 1}`);
  const configFile = join(folder, "ssh_config");
  const options = ["-F", configFile];
  const environment = { ...process.env, PATH: pathWithDaemons };
  const ask = (host: string, command: string) => askProgram(environment, "ssh", [...options, host, command]);
  const daemons = new Map<string, Daemon>();

  const startHost = async (host: string) => {
    const logFile = join(folder, `${host}.log`);
    // It wants to be called by its full path, because it starts itself again for every connection.
    const command = [findProgram("sshd")!, "-D", "-e", "-f", join(folder, `${host}.conf`)];
    const name = isRoot ? { hostname: host } : {};
    const daemon = startDaemon(command, { environment, logFile, ...name });
    daemons.set(host, daemon);
    await waitUntil(async () => (await ask(host, "echo ready")) === "ready\n", {
      what: `the sshd of ${host}`,
      isHopeless: () => daemon.hasEnded(),
      details: () => readFileSync(logFile, "utf8"),
    });
  };
  const stop = async () => {
    await Promise.all([...daemons.values()].map((daemon) => daemon.kill()));
    reserved.release();
    await remove();
  };

  try {
    // Where no init has made it; it stays, since every sshd of the machine uses it.
    if (isRoot) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
    for (const key of ["host_key", "user_key"])
      await askProgram(environment, "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    writeFileSync(join(folder, "known_hosts"), `millrace-test ${readFileSync(join(folder, "host_key.pub"), "utf8")}`);
    for (const [i, port] of reserved.ports.entries())
      writeFileSync(join(folder, `${hostNames[i]}.conf`), daemonConfig(folder, port));
    writeFileSync(configFile, clientConfig(folder, hostNames, reserved.ports));
    await Promise.all(hostNames.map(startHost));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    hostNames,
    configFile,
    options,
    folder,
    ask,
    stopHost: async (host) => daemons.get(host)?.kill(),
    startHost,
    stop,
  };
}

function daemonConfig(folder: string, port: number): string {
  return `ListenAddress 127.0.0.1
Port ${port}
HostKey ${folder}/host_key
PidFile none
AuthorizedKeysFile ${folder}/user_key.pub
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
# Bash then reads no ~/.bashrc: a host that is killed while one runs may leave its locks behind, for all later logins.
SetEnv SHLVL=1
# By default it drops logins when ten come at once.
MaxStartups 200:30:400
MaxSessions 200
Subsystem sftp internal-sftp
`;
}

function clientConfig(folder: string, hostNames: readonly string[], ports: readonly number[]): string {
  const each = hostNames.map((name, i) => `Host ${name}\n  HostName 127.0.0.1\n  Port ${ports[i]}\n`);
  return `${each.join("")}Host *
  User ${userInfo().username}
  IdentityFile ${folder}/user_key
  IdentitiesOnly yes
  IdentityAgent none
  HostKeyAlias millrace-test
  StrictHostKeyChecking yes
  UserKnownHostsFile ${folder}/known_hosts
  GlobalKnownHostsFile /dev/null
  LogLevel ERROR
  BatchMode yes
  ConnectTimeout 10
`;
}
