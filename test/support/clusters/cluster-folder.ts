import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";

/** A folder for all files of a cluster. */
export interface ClusterFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const guardScript = `
read -r _
for _ in 1 2 3 4 5; do
  sleep 1
  rm -rf -- "$1" && break
done
`;

/** Makes a folder that is gone after the tests, also when they are killed. */
export function openClusterFolder(kind: string): ClusterFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `millrace-${kind}-`)));
  const guard = spawn("sh", ["-c", guardScript, "sh", path], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  guard.stdin.on("error", () => {});
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return {
    path,
    async remove() {
      guard.kill("SIGKILL");
      await removeFolder(path);
    },
  };
}
