import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openJsonl } from "millrace/datasets";
import { describe, expect, it } from "vitest";
// From its source: there are no threads beside it, so that it scans alone.
import { openJsonl as openAlone } from "../../src/datasets/open-jsonl.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const library = fileURLToPath(new URL("../../dist/datasets.js", import.meta.url));
const program = `
const { openJsonl } = await import(process.argv[1]);
const data = await openJsonl(process.argv[2]);
console.log(data.length, data.digest, JSON.stringify(data.at(data.length - 1)));
`;

function openElsewhere(path: string, options: { uid?: number; env?: NodeJS.ProcessEnv } = {}): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", program, library, path], {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    ...options,
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr!.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(child, "close");
  return text.trim();
}

/** Lines of many lengths with every line break, blank lines and signs of two to four bytes; no break at the end. */
function writeMixed(path: string, sizeBytes: number): number {
  const fd = openSync(path, "w");
  let [rows, bytes] = [0, 0];
  while (bytes < sizeBytes) {
    let text = "";
    for (let i = 0; i < 2000; i++) {
      text += `{"n":${rows++},"text":"${"üß語😀".repeat((i * 7) % 40)}"}${["\n", "\r\n", "\n\n", "\r\n \t\r\n"][i % 4]}`;
    }
    bytes += writeSync(fd, text);
  }
  writeSync(fd, `{"n":${rows++}}`);
  closeSync(fd);
  return rows;
}

describe("the index of a file", () => {
  it("is the same from several threads as from one, wherever parts are cut", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "mixed.jsonl");
    // Above the size from which threads are used; parts are of 8 MiB.
    const rows = writeMixed(path, 66 * 2 ** 20);
    await using threaded = await openJsonl<{ n: number }>(path, { indexDir: join(folder, "threads") });
    await using alone = await openAlone<{ n: number }>(path, { indexDir: join(folder, "alone") });
    expect(threaded.length).toBe(rows);
    expect(threaded.at(rows - 1).n).toBe(rows - 1);
    for (let i = 0; i < rows; i += 997) expect(threaded.at(i).n).toBe(i);
    expect(threaded.digest).toBe(alone.digest);
    const [one, other] = ["threads", "alone"].map((name) => {
      const [file = ""] = readdirSync(join(folder, name));
      return readFileSync(join(folder, name, file));
    });
    expect(one!.equals(other!)).toBe(true);
  });

  it("is one whole file when several processes build it at the same time", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "shared.jsonl");
    const rows = writeMixed(path, 4 * 2 ** 20);
    const said = await Promise.all(Array.from({ length: 4 }, () => outputOf(openElsewhere(path))));
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toMatch(new RegExp(`^${rows} jsonl ${rows} rows.* \\{"n":${rows - 1}\\}$`));
    expect(readdirSync(folder).sort()).toEqual([".shared.jsonl.rows", "shared.jsonl"]);
  });

  it("is not there after a kill while it is written; the next one builds it and removes what the dead one has left", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "killed.jsonl");
    const rows = writeMixed(path, 60 * 2 ** 20);
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith(".new"));
    const child = openElsewhere(path);
    await expect.poll(() => unfinished().length, { interval: 2 }).toBe(1);
    child.kill("SIGKILL");
    await once(child, "close");
    expect(unfinished()).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain(".killed.jsonl.rows");
    // What builders of another host have left: one is at work, the other was silent for more than an hour.
    const elsewhere = (pid: number) => join(folder, `.killed.jsonl.rows.00000000-${pid}-7-00000000.new`);
    for (const pid of [1, 2]) writeFileSync(elsewhere(pid), "MLROWS01");
    utimesSync(elsewhere(2), 0, Date.now() / 1000 - 3700);
    await using data = await openJsonl<{ n: number }>(path);
    expect(data.length).toBe(rows);
    expect(data.at(rows - 1).n).toBe(rows - 1);
    expect(unfinished().map((name) => join(folder, name))).toEqual([elsewhere(1)]);
  });

  it("is left alone by others while its builder lives, and is built again if its file was removed nevertheless", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "slow.jsonl");
    const rows = writeMixed(path, 60 * 2 ** 20);
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith(".new"));
    const child = openElsewhere(path);
    const said = outputOf(child);
    await expect.poll(() => unfinished().length, { interval: 2 }).toBe(1);
    child.kill("SIGSTOP");
    const [name = ""] = unfinished();
    await (await openJsonl(path)).close();
    expect(unfinished()).toEqual([name]);
    rmSync(join(folder, name));
    rmSync(join(folder, ".slow.jsonl.rows"));
    child.kill("SIGCONT");
    expect(await said).toMatch(new RegExp(`^${rows} jsonl ${rows} rows`));
    expect(readdirSync(folder).sort()).toEqual([".slow.jsonl.rows", "slow.jsonl"]);
  });

  it("is kept in the cache folder where the folder of the file is read only", async () => {
    const folder = temporaryFolder();
    const [place, cache] = [join(folder, "data"), join(folder, "cache")];
    for (const one of [place, cache]) mkdirSync(one);
    writeFileSync(join(place, "few.jsonl"), '{"n":0}\n{"n":1}\n');
    chmodSync(folder, 0o755);
    chmodSync(place, 0o555);
    chmodSync(cache, 0o777);
    // Root may write everywhere: the process runs as another user then.
    const otherUser = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const env = { ...process.env, MILLRACE_CACHE: cache };
    const said = await outputOf(openElsewhere(join(place, "few.jsonl"), { ...otherUser, env }));
    expect(said).toMatch(/^2 jsonl 2 rows.* \{"n":1\}$/);
    expect(readdirSync(place)).toEqual(["few.jsonl"]);
    expect(readdirSync(join(cache, "indexes"))).toHaveLength(1);
    chmodSync(place, 0o755);
  });
});
