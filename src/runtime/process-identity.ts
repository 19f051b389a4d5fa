import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies a process. On the same host it shows whether that process is still running. */
export interface ProcessIdentity {
  /** Host name, boot id and pid namespace: pids are comparable only if all three are equal. */
  readonly host: string;
  readonly pid: number;
  /** When the process began, in the kernel's ticks: a process with a reused pid has another. Empty if unknown. */
  readonly began: string;
}

/** The identity of a process on this host; of this one by default. */
export function identify(pid: number = process.pid): ProcessIdentity {
  return { host: thisHost(), pid, began: readStart(pid)?.began ?? "" };
}

let host: string | undefined;

function thisHost(): string {
  host ??= [hostname(), readOrEmpty("/proc/sys/kernel/random/boot_id"), readLinkOrEmpty("/proc/self/ns/pid")].join("|");
  return host;
}

/** Whether a process is known to be dead. False if that cannot be known, as on another host. */
export function isKnownDead(other: ProcessIdentity): boolean {
  if (other.host !== thisHost() || isHalfKnown(other.host)) return false;
  const now = readStart(other.pid);
  if (now === undefined) return !takesSignals(other.pid);
  return now.state === "Z" || (other.began !== "" && now.began !== other.began);
}

/** Where /proc is hidden, another container may have the same host name, and the same pids. */
function isHalfKnown(hostOfProcess: string): boolean {
  const [, boot, namespace] = hostOfProcess.split("|");
  return process.platform === "linux" && (boot === "" || namespace === "");
}

function readStart(pid: number): { state: string; began: string } | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  // The command name, in parentheses, may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, began] = [fields[0], fields[19]];
  return state === undefined || began === undefined ? undefined : { state, began };
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function readLinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
