import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf } from "../chaos.ts";
import { type Adversary, type AdversaryKeys, mountAdversary } from "./adversary.ts";

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

/** A folder as both hosts see it. */
export interface SharedMounts {
  readonly folders: readonly [string, string];
  /** Where the files really are. */
  readonly backing: string;
  readonly adversaries?: readonly [Adversary, Adversary];
  unmount(): Promise<void>;
}

/** Starts two hosts that share a folder through adversaries with these keys; the second one may get more. */
export function startTwoHosts(keys: AdversaryKeys, second: AdversaryKeys = {}): Promise<TwoHosts> {
  return startHostsOn(async (place) => {
    const [backing, ...folders] = makeFolders(place, "server", "a", "b") as [string, string, string];
    const a = await mountAdversary(backing, folders[0], keys);
    const b = await mountAdversary(backing, folders[1], { ...keys, ...second });
    const unmount = async () => {
      await Promise.all([a.unmount(), b.unmount()]);
    };
    return { folders, backing, adversaries: [a, b], unmount };
  });
}

/** Makes folders below a place. */
export function makeFolders(place: string, ...names: string[]): string[] {
  return names.map((name) => {
    mkdirSync(join(place, name));
    return join(place, name);
  });
}

/** Starts two hosts that share what `mount` mounts below a new place. */
export async function startHostsOn(mount: (place: string) => Promise<SharedMounts>): Promise<TwoHosts> {
  const place = mkdtempSync(join(tmpdir(), "millrace-hosts-"));
  const mounts = await mount(place);
  const machines = [await startMachine("host-a"), await startMachine("host-b")] as const;
  const host = (at: 0 | 1): TestHost => {
    const { name, command } = machines[at];
    const { counts, set } = mounts.adversaries?.[at] ?? noAdversary;
    return { name, folder: mounts.folders[at], command, counts, set };
  };
  return {
    hosts: [host(0), host(1)],
    place,
    backing: mounts.backing,
    end: async () => {
      for (const machine of machines) await machine.end();
      await mounts.unmount();
      rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

const noAdversary = { counts: async () => ({}), set: () => {} };

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
