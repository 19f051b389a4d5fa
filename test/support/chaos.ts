import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { seededRandom } from "./seeded-random.ts";

const script = fileURLToPath(new URL("../fixtures/children/chaos-driver.mjs", import.meta.url));
const launchers = ["local", "process", "thread"] as const;
const signals = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGTERM", "SIGSTOP", "SIGSTOP", undefined] as const;
const concurrencies = [1, 7, 64] as const;
const maxDrivers = 3;
// For what never comes; a busy machine is slow.
const patienceMs = 200_000;

/** Processes are found in /proc, which only Linux has. */
export const hasProcesses = existsSync("/proc/self/stat");

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly args: readonly string[];
}

/** The processes whose arguments name a folder; those that have ended have none. */
export function processesOf(folder: string): RunningProcess[] {
  return allProcesses().filter(({ args }) => isOurs(args[0]) && args.some((arg) => arg.includes(folder)));
}

// What enters the namespaces of a host, and what mounts its file system, is no part of the run.
function isOurs(program = ""): boolean {
  return !/(^|\/)(nsenter|adversary-\w+)$/.test(program);
}

/** Where drivers are started. */
export interface ChaosHost {
  /** The folder in which the run is, as this host sees it. */
  readonly folder: string;
  /** The first words of a command that starts a program there. */
  readonly command: readonly string[];
}

/** The children of a process, also those that have ended and were not asked how (zombies). */
export function childrenOf(pid: number): RunningProcess[] {
  return allProcesses().filter(({ parent }) => parent === pid);
}

/** Ends whatever is still at work in a folder. */
export function endProcessesOf(folder: string): void {
  for (const { pid } of processesOf(folder)) send(pid, "SIGKILL");
}

function allProcesses(): RunningProcess[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      // The program's name is in parentheses, and may contain any character.
      const [, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ");
      return [{ pid: Number(pid), parent: Number(parent), args }];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

/** The run without any disturbance, in one process. */
export function runUndisturbed(folder: string): Promise<void> {
  return endOf(startDriver([folder, "local", "1", "30", "1"]), new Set());
}

function startDriver(args: readonly string[], start: readonly string[] = []): ChildProcess {
  const [program = "", ...rest] = [...start, process.execPath, script, ...args];
  return spawn(program, rest, { stdio: ["ignore", "ignore", "pipe"] });
}

/** How a driver is started. */
interface Choice {
  readonly env: string;
  readonly workers: number;
  readonly concurrency: number;
}

/** A driver that was started, and how it may end: by itself, or by a signal it was sent. */
interface Driver {
  /** Its process, or the one that has started it on its host. */
  readonly pid: number;
  readonly host: ChaosHost;
  readonly sent: Set<string>;
  readonly ended: Promise<void>;
  isAlive: boolean;
}

/** A run folder on which drivers are started and struck at random. */
export class Chaos {
  private readonly story: string[] = [];
  private readonly folder: string;
  private readonly random: () => number;
  private readonly shards: number;
  private readonly drivers: Driver[] = [];
  private readonly wakings: Promise<void>[] = [];
  private readonly beganMs = performance.now();
  private readonly hosts: readonly ChaosHost[];

  /** `folder`: what the arguments of all its processes name. */
  constructor(folder: string, seed: number, hosts: readonly ChaosHost[] = [{ folder, command: [] }]) {
    this.folder = folder;
    this.hosts = hosts;
    this.random = seededRandom(seed);
    this.shards = 20 + this.below(60);
  }

  /** Starts one or two drivers more and, some time later, strikes a few times. Who survives takes part in the next round. */
  async round(): Promise<void> {
    const newcomers = 1 + this.below(2);
    for (let i = 0; i < newcomers; i++) {
      // Chosen in any case, so that what comes after does not depend on who has survived.
      const how = this.choose();
      if (this.living().length < maxDrivers) this.start(how);
    }
    await sleep(150 + this.below(600));
    const blows = 1 + this.below(4);
    for (let i = 0; i < blows; i++) {
      this.strike();
      await sleep(this.below(150));
    }
  }

  /** Wakes who is stopped, then lets a last driver, and all who survived, complete the run. */
  async complete(): Promise<void> {
    await Promise.all(this.wakings);
    await this.waitUntil("the workers of killed drivers are gone", () => this.orphans().length === 0);
    this.start(this.choose());
    await this.waitUntil("all drivers have ended", () => this.living().length === 0);
    await Promise.all(this.drivers.map((driver) => driver.ended));
    await this.waitUntil("no process is left", () => processesOf(this.folder).length === 0);
  }

  /** What was done and what is there now, to find out why it went wrong. */
  report(): string {
    const machinery = join(this.hosts[0]!.folder, ".millrace");
    const names = existsSync(machinery) ? readdirSync(machinery, { recursive: true, encoding: "utf8" }) : [];
    const left = names.map((name) => `  ${name}: ${describeFile(join(machinery, name))}`);
    const processes = processesOf(this.folder).map(({ pid, args }) => `  ${pid}: ${args.join(" ")}`);
    return [...this.story, "processes:", ...processes, `left in ${machinery}:`, ...left].join("\n");
  }

  private living(): Driver[] {
    return this.drivers.filter((driver) => driver.isAlive);
  }

  private orphans(): RunningProcess[] {
    const all = processesOf(this.folder);
    const drivers = new Set(all.filter((one) => this.driverOf(one)?.isAlive).map(({ pid }) => pid));
    return all.filter(({ pid, parent }) => !drivers.has(pid) && !drivers.has(parent));
  }

  private driverOf({ pid, parent }: RunningProcess): Driver | undefined {
    return this.drivers.find((one) => one.pid === (this.isWrapped(one) ? parent : pid));
  }

  private isWrapped({ host }: Driver): boolean {
    return host.command.length > 0;
  }

  private choose(): Choice {
    const env = launchers[this.below(launchers.length)]!;
    const workers = 1 + this.below(3);
    const concurrency = concurrencies[this.below(concurrencies.length)]!;
    return { env, workers: env === "local" ? 1 : workers, concurrency };
  }

  private start({ env, workers, concurrency }: Choice): void {
    const host = this.hosts[this.drivers.length % this.hosts.length]!;
    const args = [host.folder, env, String(workers), String(this.shards), String(concurrency)];
    const child = startDriver(args, host.command);
    const sent = new Set<string>();
    const driver: Driver = { pid: child.pid!, host, sent, isAlive: true, ended: endOf(child, sent) };
    const end = () => {
      driver.isAlive = false;
      this.note(`driver ${driver.pid} has ended (${child.signalCode ?? child.exitCode})`);
    };
    driver.ended.then(end, end);
    this.drivers.push(driver);
    this.note(`driver ${driver.pid}: ${env} with ${workers}, ${concurrency} calls open`);
  }

  private strike(): void {
    const signal = signals[this.below(signals.length)];
    const share = this.random();
    const sleepMs = 100 + this.below(1900);
    const victims = processesOf(this.folder);
    const victim = victims[Math.floor(share * victims.length)];
    if (victim === undefined || signal === undefined) return;
    const { pid, parent } = victim;
    const driver = this.driverOf(victim);
    driver?.sent.add(signal);
    this.note(`${signal} to ${driver === undefined ? `a worker of ${parent},` : "driver"} ${pid}`);
    send(pid, signal);
    if (signal === "SIGSTOP") this.wakings.push(sleep(sleepMs).then(() => this.wake(victim, driver)));
  }

  private wake({ pid }: RunningProcess, driver: Driver | undefined): void {
    if (!processesOf(this.folder).some((one) => one.pid === pid)) return;
    this.note(`SIGCONT to ${pid}`);
    send(pid, "SIGCONT");
    // nsenter stops when its child does.
    if (driver !== undefined && this.isWrapped(driver)) send(driver.pid, "SIGCONT");
  }

  private async waitUntil(what: string, condition: () => boolean): Promise<void> {
    const giveUpMs = performance.now() + patienceMs;
    while (!condition()) {
      if (performance.now() > giveUpMs) throw new Error(`not so after ${patienceMs} ms: ${what}`);
      await sleep(20);
    }
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  private note(what: string): void {
    const { folder } = this.hosts[0]!;
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const committed = names.filter((name) => name.startsWith("split.")).length;
    const ms = Math.round(performance.now() - this.beganMs);
    this.story.push(`${String(ms).padStart(6)} ms, ${committed} of ${this.shards} shards: ${what}`);
  }
}

/** A file's age, and its text where it is about a worker. */
function describeFile(path: string): string {
  const { mtimeMs } = statSync(path);
  const text = /\/(leases|workers)\/./.test(path) ? readFileSync(path, "utf8").trim() : "";
  return `${Math.round(Date.now() - mtimeMs)} ms old ${text}`;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** Fails where a driver ends neither by itself nor by a signal it was sent. */
function endOf(child: ChildProcess, sent: ReadonlySet<string>): Promise<void> {
  let stderr = "";
  child.stderr?.on("data", (text) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const isStruck = signal !== null && sent.has(signal);
      if (code === 0 || isStruck) resolve();
      else reject(new Error(`driver ${child.pid} ended with ${signal ?? `code ${code}`}\n${stderr}`));
    });
  });
}
