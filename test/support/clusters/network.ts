import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { askProgram } from "./ask-program.ts";
import { waitUntil } from "./wait-until.ts";
import { pathWithDaemons } from "./why-not.ts";

/** A place in a network of its own. */
interface NetworkHost {
  readonly address: string;
  /** The file of its network namespace, for `nsenter --net=`. */
  readonly network: string;
}

/** Hosts at one switch that see each other and nothing else. */
export interface Network {
  readonly hosts: readonly NetworkHost[];
  /** Pulls the cable of a host. */
  disconnect(host: number): Promise<void>;
  connect(host: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes namespaces that have no name and no device outside of them, so that networks cannot collide, and the kernel
 * removes all of it with the last process in them. The first host has the bridge that the others are plugged into.
 */
export async function openNetwork(hostCount: number): Promise<Network> {
  const holders = await Promise.all(Array.from({ length: hostCount }, holdNamespace));
  const hosts = holders.map(({ pid }, i) => ({ address: `10.77.0.${i + 1}`, network: `/proc/${pid}/ns/net` }));
  const ip = (host: number, ...args: string[]) =>
    askProgram({ PATH: pathWithDaemons }, "nsenter", [`--net=${hosts[host]!.network}`, "ip", ...args]);
  const addressOf = (host: number) => `${hosts[host]!.address}/24`;
  const close = async () => {
    await Promise.all(holders.map(({ end }) => end()));
  };
  const plug = async (host: number) => {
    await ip(host, "link", "set", "lo", "up");
    await ip(0, "link", "add", `port${host}`, "type", "veth", "peer", "name", "eth0", "netns", `${holders[host]!.pid}`);
    await ip(0, "link", "set", `port${host}`, "master", "switch", "up");
    await ip(host, "address", "add", addressOf(host), "dev", "eth0");
    await ip(host, "link", "set", "eth0", "up");
  };
  try {
    await ip(0, "link", "set", "lo", "up");
    await ip(0, "link", "add", "switch", "type", "bridge");
    await ip(0, "address", "add", addressOf(0), "dev", "switch");
    await ip(0, "link", "set", "switch", "up");
    for (let host = 1; host < hostCount; host++) await plug(host);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    hosts,
    disconnect: async (host) => void (await ip(host, "link", "set", "eth0", "down")),
    connect: async (host) => void (await ip(host, "link", "set", "eth0", "up")),
    close,
  };
}

interface Holder {
  readonly pid: number;
  end(): Promise<void>;
}

/** A process that does nothing but keep a network namespace, until its input ends with this process. */
async function holdNamespace(): Promise<Holder> {
  const child = spawn("unshare", ["--net", "cat"], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  await once(child, "spawn");
  const pid = child.pid!;
  const own = readlinkSync("/proc/self/ns/net");
  await waitUntil(() => readlinkSync(`/proc/${pid}/ns/net`) !== own, {
    what: "a network namespace",
    isHopeless: () => child.exitCode !== null,
  });
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return { pid, end: () => endHolder(child) };
}

async function endHolder(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.stdin?.destroy();
  await once(child, "exit");
}
