import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf } from "../chaos.ts";
import { type AdversaryKeys, mountAdversary } from "./adversary.ts";

/** A host of a file server: a name and processes of its own, and its own mount. */
export interface TestHost {
  readonly name: string;
  /** Where the shared folder is on this host. */
  readonly folder: string;
  /** What starts a program on this host: the first words of a command. */
  readonly command: readonly string[];
  /** Calls of each kind that its mount has answered. */
  counts(): Promise<Record<string, number>>;
  /** Changes what its mount does wrong. */
  set(keys: AdversaryKeys): void;
}

export interface TwoHosts {
  readonly hosts: readonly [TestHost, TestHost];
  /** Everything is below it. */
  readonly place: string;
  /** The folder of the file server: what is really there. */
  readonly backing: string;
  /** Ends the hosts with all their processes, unmounts, and removes everything. */
  end(): Promise<void>;
}

/** Starts two hosts that share a folder through adversaries with these keys; the second one may get more. */
export async function startTwoHosts(keys: AdversaryKeys, second: AdversaryKeys = {}): Promise<TwoHosts> {
  const place = mkdtempSync(join(tmpdir(), "millrace-hosts-"));
  const backing = join(place, "server");
  const mounts = [join(place, "a"), join(place, "b")] as const;
  for (const folder of [backing, ...mounts]) mkdirSync(folder);
  const a = await mountAdversary(backing, mounts[0], keys);
  const b = await mountAdversary(backing, mounts[1], { ...keys, ...second });
  const adversaries = [a, b] as const;
  const machines = [await startMachine("host-a"), await startMachine("host-b")] as const;
  const host = (at: 0 | 1): TestHost => {
    const { name, command } = machines[at];
    const { counts, set } = adversaries[at];
    return { name, folder: mounts[at], command, counts, set };
  };
  return {
    hosts: [host(0), host(1)],
    place,
    backing,
    end: async () => {
      for (const machine of machines) await machine.end();
      for (const adversary of adversaries) await adversary.unmount();
      rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

interface Machine {
  readonly name: string;
  readonly command: readonly string[];
  end(): Promise<void>;
}

/**
 * Namespaces with a host name and process ids of their own. They end, with all processes in them, when this process does:
 * their first process reads from it.
 */
async function startMachine(name: string): Promise<Machine> {
  const script = 'hostname "$0" && echo ready && exec cat';
  const child = spawn(
    "unshare",
    ["--uts", "--pid", "--mount-proc", "--fork", "--kill-child", "sh", "-c", script, name],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  await new Promise<void>((resolve, reject) => {
    child.stdout.once("data", () => resolve());
    child.once("close", (code) => reject(new Error(`no namespaces for ${name}: unshare ended with ${code}`)));
  });
  const [first] = childrenOf(child.pid!);
  return {
    name,
    command: ["nsenter", "--uts", "--pid", "--mount", "--target", String(first!.pid), "--"],
    end: () => endOf(child),
  };
}

function endOf(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.stdin?.end();
  return ended;
}
