// Programs that tests put on the other side of a file or a file system. Where one is missing and cannot be installed,
// the tests that need it say so and are skipped.
import { spawnSync } from "node:child_process";

const needed = [
  { program: "python3", package: "python3", why: "reads the merged records as a user's Python would" },
  { program: "script", package: "bsdutils", why: "is the terminal that progress is drawn on" },
  { program: "mount", package: "mount", why: "makes a small and a read-only file system" },
];

export function ensureSystemPackages() {
  const missing = needed.filter(({ program }) => !isThere(program));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isThere("apt-get")) {
    console.log(`installing ${missing.map((entry) => entry.package).join(", ")} (once)`);
    const quiet = { stdio: ["ignore", "ignore", "inherit"] };
    spawnSync("apt-get", ["update", "-qq"], quiet);
    spawnSync(
      "apt-get",
      ["install", "-y", "-qq", "--no-install-recommends", ...missing.map((entry) => entry.package)],
      quiet,
    );
  }
  for (const { program, why } of missing) {
    if (!isThere(program)) console.log(`${program} is missing: tests in which it ${why} are skipped`);
  }
}

function isThere(program) {
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", program], { stdio: "ignore" }).status === 0;
}
