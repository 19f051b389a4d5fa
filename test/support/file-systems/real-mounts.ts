import { spawn, spawnSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSshd, whyNotSshd } from "../clusters/sshd.ts";
import { waitUntil } from "../clusters/wait-until.ts";
import { findProgram, whyNotDaemons } from "../clusters/why-not.ts";
import { makeFolders, type SharedMounts } from "./two-hosts.ts";

/** A file system that can be mounted for two hosts of a test. */
export interface RealFileSystem {
  readonly name: string;
  whyNot(): string | undefined;
  mount(place: string): Promise<SharedMounts>;
}

const megabyte = 2 ** 20;

// The smallest that its mkfs makes.
export const realFileSystems: readonly RealFileSystem[] = [loopMount("xfs", 320), loopMount("btrfs", 128), sshfs()];

/** A file system in a file. Both hosts have the same kernel, and so the same mount. */
function loopMount(type: string, megabytes: number): RealFileSystem {
  return {
    name: type,
    whyNot: () => whyNotDaemons(["mount", "nsenter", `mkfs.${type}`], { needsRoot: true }) ?? whyNoLoop(type),
    async mount(place) {
      const [folder] = makeFolders(place, "mounted") as [string];
      const image = join(place, "image");
      writeFileSync(image, "");
      truncateSync(image, megabytes * megabyte);
      mustRun(`mkfs.${type}`, ["-q", image]);
      mustRun("mount", ["-o", "loop", image, folder]);
      return { folders: [folder, folder], backing: folder, unmount: async () => mustRun("umount", ["-l", folder]) };
    },
  };
}

function whyNoLoop(type: string): string | undefined {
  // Loads the module where it is one.
  spawnSync("modprobe", [type], { stdio: "ignore" });
  const { stdout } = spawnSync("cat", ["/proc/filesystems"], { encoding: "utf8" });
  if (!new RegExp(`\\t${type}$`, "m").test(stdout)) return `the kernel has no ${type}`;
  return spawnSync("losetup", ["-f"], { stdio: "ignore" }).status === 0 ? undefined : "there is no free loop device";
}

/** Two clients of one sftp server on this host. */
function sshfs(): RealFileSystem {
  return {
    name: "sshfs",
    whyNot: () => whyNotSshd() ?? whyNotDaemons(["sshfs", "fusermount3", "nsenter"], { needsRoot: true }),
    async mount(place) {
      const [backing, ...folders] = makeFolders(place, "server", "a", "b") as [string, string, string];
      const sshd = await startSshd({ hosts: 1 });
      for (const folder of folders) {
        const options = ["-F", sshd.configFile, "-o", "reconnect"];
        spawn("sshfs", ["-f", ...options, `${sshd.hostNames[0]}:${backing}`, folder], { stdio: "ignore" });
        const isMounted = async () => spawnSync("mountpoint", ["-q", folder]).status === 0;
        await waitUntil(isMounted, { what: `sshfs at ${folder}` });
      }
      const unmount = async () => {
        for (const folder of folders) mustRun("fusermount3", ["-u", "-z", folder]);
        await sshd.stop();
      };
      return { folders, backing, unmount };
    },
  };
}

function mustRun(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(findProgram(program) ?? program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${stderr}`);
}
