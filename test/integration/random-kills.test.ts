import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runStatus } from "millrace";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../support/seeded-random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = fileURLToPath(new URL("../fixtures/children/many-items.mjs", import.meta.url));
const rounds = Number(process.env["MILLRACE_KILL_ROUNDS"] ?? 3);
const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);

describe("a run killed again and again", () => {
  it(`ends with the bytes of an undisturbed one, also with several drivers at once (MILLRACE_SEED=${seed})`, {
    timeout: 300_000 * rounds,
  }, async () => {
    const random = seededRandom(seed);
    const reference = temporaryFolder();
    await once(start(reference), "exit");
    const expected = readFileSync(join(reference, "records.jsonl"), "utf8");
    for (let round = 0; round < rounds; round++) {
      const dir = temporaryFolder();
      for (let kills = 0; kills < 6; kills++) {
        const drivers = Array.from({ length: 1 + Math.floor(random() * 2) }, () => start(dir));
        await sleep(80 + random() * 250);
        for (const driver of drivers) driver.kill("SIGKILL");
        await Promise.all(drivers.map((driver) => driver.exitCode ?? driver.signalCode ?? once(driver, "exit")));
      }
      const last = [start(dir), start(dir)];
      const codes = await Promise.all(last.map(async (driver) => (await once(driver, "exit"))[0]));
      expect(codes).toEqual([0, 0]);
      expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe(expected);
      expect(await runStatus(dir)).toMatchObject({ state: "complete", items: { done: 3000, written: 3000 } });
      for (const folder of ["leases", "attempts", "workers"])
        expect(readdirSync(join(dir, ".millrace", folder))).toEqual([]);
    }
  });
});

function start(dir: string) {
  return spawn(process.execPath, [script, dir], { stdio: ["ignore", "ignore", "inherit"] });
}
