// 100,000 items of 0.1 ms: how many are run again after a kill at a random moment, and what the checkpoints cost.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runBusy } from "./busy-items.mjs";
import { inFolder, median, ratioOfPairs, row } from "./measure.mjs";

const count = 100_000;
const script = fileURLToPath(new URL("./busy-items.mjs", import.meta.url));

export function bench() {
  return inFolder(async (folder) => {
    const again = [];
    for (let i = 0; i < 7; i++) again.push((100 * (await itemsRunAgain(join(folder, `kill-${i}`)))) / count);
    const cost = await ratioOfPairs(
      5,
      (i) => runBusy(join(folder, `without-${i}`), count / 5, { checkpointInterval: 1e9 }),
      (i) => runBusy(join(folder, `with-${i}`), count / 5),
    );
    return [
      row("killed at a random moment: items run again (median)", median(again), "%", 0.3),
      row("killed at a random moment: items run again (worst)", Math.max(...again), "%", 0.6),
      row("what the checkpoints cost of the run", Math.max(0, (cost - 1) * 100), "%", 2),
    ];
  });
}

/** Kills a run and completes it; each call of forward adds one byte to a file. */
async function itemsRunAgain(dir) {
  const first = spawn(process.execPath, [script, dir, String(count)], { stdio: "inherit" });
  await sleep(500 + Math.random() * 9000);
  first.kill("SIGKILL");
  await once(first, "exit");
  const second = spawn(process.execPath, [script, dir, String(count)], { stdio: "inherit" });
  await once(second, "exit");
  return readFileSync(`${dir}.calls`).length - count;
}
