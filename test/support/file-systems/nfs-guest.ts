import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { whyNotDaemons } from "../clusters/why-not.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const script = fileURLToPath(new URL("../../fixtures/file-systems/nfs-guest.sh", import.meta.url));
const longestMs = 900_000;

/** Why NFS with the kernel's own client and server cannot be run here. It takes minutes, so it is done on demand. */
export function whyNotNfs(): string | undefined {
  if (process.env["MILLRACE_NFS"] === undefined) return "only in npm run soak -- file-systems, or with MILLRACE_NFS=1";
  return whyNotDaemons(["linux.uml", "rpc.nfsd", "rpc.mountd", "mount.nfs", "rpcbind", "modprobe", "mkfs.ext4"], {
    needsRoot: true,
  });
}

/** Starts a user-mode Linux that runs `nfs-guest.sh`; returns its results by their names. */
export async function runNfsGuest(): Promise<{ readonly results: Map<string, string>; readonly console: string }> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-uml-"));
  const kernel = ["umid=guest", `uml_dir=${folder}`, "mem=1500M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/"];
  const consoles = ["con=null", "con0=null,fd:1", "ssl=null", "panic=1"];
  const own = [`init=${script}`, `millrace=${project.replace(/\/$/, "")}`, `node=${process.execPath}`];
  // A group of its own: it consists of many processes.
  const child = spawn("linux.uml", [...kernel, "ro", ...consoles, ...own], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
  const timer = setTimeout(() => process.kill(-child.pid!, "SIGKILL"), longestMs);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  const lines = [...text.matchAll(/^result (\S+) ?(.*?)\r?$/gm)];
  return { results: new Map(lines.map(([, name, rest]) => [name!, rest!])), console: text };
}
