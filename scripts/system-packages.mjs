// External programs that tests use as the other side of a file format or a file system. If one is missing and cannot be
// installed, the tests that need it are skipped with the reason.
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";

const needed = [
  { program: "python3", package: "python3", why: "reads the merged records as a user's Python would" },
  { program: "tar", package: "tar", why: "unpacks shards of the WebDataset form" },
  { program: "zstd", package: "zstd", why: "reads compressed records (where Node.js can write them)" },
  { program: "script", package: "bsdutils", why: "is the terminal that progress is drawn on" },
  { module: "omegaconf", package: "python3-omegaconf", why: "reads the same configs as loadConfig" },
  { program: "flac", package: "flac", why: "packs what readAudio unpacks" },
  { program: "ffmpeg", package: "ffmpeg", why: "reads the audio formats that are left to it" },
  { module: "numpy", package: "python3-numpy", why: "reads and writes the same npy and npz files" },
  { module: "torch", package: "python3-torch", why: "reads and writes the same .pt files" },
  { program: "mount", package: "mount", why: "makes a small and a read-only file system" },
  { program: "gcc", package: "gcc libc6-dev", why: "compiles a file system that misbehaves" },
  { program: "pkg-config", package: "pkg-config", why: "finds the library for that file system" },
  { library: "fuse3", package: "fuse3 libfuse3-dev", why: "is what that file system is made with" },
  { program: "sshfs", package: "sshfs", why: "is a file system that two hosts share" },
  { program: "mkfs.xfs", package: "xfsprogs", why: "makes an xfs" },
  { program: "mkfs.btrfs", package: "btrfs-progs", why: "makes a btrfs" },
  { program: "slurmctld", package: "slurmctld", why: "is the controller of a Slurm" },
  { program: "slurmd", package: "slurmd", why: "is a node of a Slurm" },
  { program: "sbatch", package: "slurm-client", why: "submits jobs to a Slurm" },
  { program: "sge_qmaster", package: "gridengine-master", why: "is the master of a Grid Engine" },
  { program: "sge_execd", package: "gridengine-exec", why: "is a host of a Grid Engine" },
  { program: "qconf", package: "gridengine-client", why: "submits jobs to a Grid Engine" },
  {
    program: "Almighty",
    package: "oar-server oar-server-pgsql oar-node oar-user oar-user-pgsql postgresql",
    why: "is the server of an OAR",
  },
  { program: "sshd", package: "openssh-server", why: "is the other host of env: ssh" },
  { program: "chromium", package: "chromium fontconfig fonts-dejavu-core", why: "shows the pages" },
];

// Grid Engine's installer asks questions; the cluster it configures is not the one that tests use.
const answers = ["common", "client", "master"].flatMap((part) => [
  `gridengine-${part} shared/gridenginemaster string ${hostname()}`,
  `gridengine-${part} shared/gridenginecell string default`,
  `gridengine-${part} shared/gridengineconfig boolean true`,
]);

// For the long tests alone.
const neededLong = [
  { program: "linux.uml", package: "user-mode-linux", why: "is a kernel with a file server and its clients" },
  { program: "rpc.nfsd", package: "nfs-kernel-server nfs-common rpcbind", why: "serves and mounts files by NFS" },
  { program: "modprobe", package: "kmod", why: "loads the modules of that kernel" },
];

export function ensureSystemPackages({ isLong = false } = {}) {
  const missing = [...needed, ...(isLong ? neededLong : [])].filter((entry) => !isThere(entry));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isThere({ program: "apt-get" })) {
    console.log(`installing ${missing.map((entry) => entry.package).join(", ")} (once)`);
    const quiet = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    spawnSync("debconf-set-selections", { input: `${answers.join("\n")}\n`, stdio: ["pipe", "ignore", "ignore"] });
    spawnSync("apt-get", ["update", "-qq"], quiet);
    // Another installation may be running.
    const patience = ["-o", "DPkg::Lock::Timeout=300"];
    const packages = missing.flatMap((entry) => entry.package.split(" "));
    spawnSync("apt-get", [...patience, "install", "-y", "-qq", "--no-install-recommends", ...packages], quiet);
  }
  for (const entry of missing) {
    if (!isThere(entry))
      console.log(`${entry.program ?? entry.package} is missing: tests in which it ${entry.why} are skipped`);
  }
}

/**
 * True if a program is on the PATH, a library can be compiled with, or a module can be imported in Debian's Python; another
 * Python may come first on the PATH.
 */
function isThere({ program, module, library }) {
  if (library !== undefined) return spawnSync("pkg-config", ["--exists", library], { stdio: "ignore" }).status === 0;
  if (module !== undefined)
    return spawnSync("/usr/bin/python3", ["-c", `import ${module}`], { stdio: "ignore" }).status === 0;
  // Daemons are in folders that a plain user's PATH may not include.
  const look = 'PATH="$PATH:/usr/sbin:/sbin"; command -v "$1"';
  return spawnSync("sh", ["-c", look, "sh", program], { stdio: "ignore" }).status === 0;
}
