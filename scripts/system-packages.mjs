// Programs that tests put on the other side of a file or a file system. Where one is missing and cannot be installed,
// the tests that need it say so and are skipped.
import { spawnSync } from "node:child_process";

const needed = [
  { program: "python3", package: "python3", why: "reads the merged records as a user's Python would" },
  { program: "tar", package: "tar", why: "unpacks shards of the WebDataset form" },
  { program: "zstd", package: "zstd", why: "reads compressed records (where Node.js can write them)" },
  { program: "script", package: "bsdutils", why: "is the terminal that progress is drawn on" },
  { module: "omegaconf", package: "python3-omegaconf", why: "reads the same configs as loadConfig" },
  { program: "mount", package: "mount", why: "makes a small and a read-only file system" },
];

export function ensureSystemPackages() {
  const missing = needed.filter((entry) => !isThere(entry));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isThere({ program: "apt-get" })) {
    console.log(`installing ${missing.map((entry) => entry.package).join(", ")} (once)`);
    const quiet = { stdio: ["ignore", "ignore", "inherit"] };
    spawnSync("apt-get", ["update", "-qq"], quiet);
    spawnSync(
      "apt-get",
      ["install", "-y", "-qq", "--no-install-recommends", ...missing.map((entry) => entry.package)],
      quiet,
    );
  }
  for (const entry of missing) {
    if (!isThere(entry))
      console.log(`${entry.program ?? entry.package} is missing: tests in which it ${entry.why} are skipped`);
  }
}

/** Whether a program is on the PATH, or a module can be imported in Debian's Python; another one may come first on the PATH. */
function isThere({ program, module }) {
  if (module !== undefined)
    return spawnSync("/usr/bin/python3", ["-c", `import ${module}`], { stdio: "ignore" }).status === 0;
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" }).status === 0;
}
