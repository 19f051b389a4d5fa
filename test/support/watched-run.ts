import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { AttemptRecord } from "../../src/run-folder/history/history.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const script = fileURLToPath(new URL("../fixtures/children/watched-job.mjs", import.meta.url));

export interface WatchedRunOptions {
  readonly items: number;
  readonly shards: number;
  readonly itemMs?: number;
  /** No item ends before `touch("go")`; after that each takes `itemMs`. */
  readonly isHeld?: boolean;
  readonly failAt?: readonly number[];
  readonly env?: "local" | "process" | "thread";
  readonly workers?: number;
}

/** A run in a process of its own, in a folder of its own: `exp/run`. */
export function watchedRun({ items, shards, itemMs, isHeld, failAt, env = "process", workers = 2 }: WatchedRunOptions) {
  const folder = temporaryFolder();
  const dir = join(folder, "exp", "run");
  const parallel = { env, n_workers: env === "local" ? 1 : workers };
  const options = { outputDir: dir, shards, onError: "skip", parallel };
  const words = JSON.stringify({ ...options, items, config: { folder, itemMs, isHeld, failAt } });
  return {
    folder,
    exp: join(folder, "exp"),
    dir,
    start() {
      const child = spawn(process.execPath, [script, words], { stdio: ["ignore", "ignore", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      return { child, ended: codeOf(child), stderr: () => stderr };
    },
    /** Has all items run as fast as they can, or those that fail succeed. */
    touch: (name: "go" | "fixed") => writeFileSync(join(folder, name), ""),
    history: () =>
      readdirSync(join(dir, ".millrace", "history")).flatMap((name) =>
        readFileSync(join(dir, ".millrace", "history", name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as AttemptRecord),
      ),
  };
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}
