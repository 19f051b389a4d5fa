// The time of `millrace --help`, compared with a Node.js that does nothing: the fixed cost of every command.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median, row, timeMs } from "./measure.mjs";

const program = fileURLToPath(new URL("../dist/cli/millrace.js", import.meta.url));
const pairs = 31;

export async function bench() {
  const [bare, help] = [[], []];
  for (let i = 0; i <= pairs; i++) {
    const bareMs = await timeMs(() => start("-e", "0"));
    const helpMs = await timeMs(() => start(program, "--help"));
    // The first pair reads the files from disk.
    if (i > 0) bare.push(bareMs);
    if (i > 0) help.push(helpMs);
  }
  const limitMs = Math.round(1.5 * median(bare) + 60);
  return [row("millrace --help; the limit: 1.5 x the time of node -e 0, and 60 ms", median(help), "ms", limitMs)];
}

function start(...words) {
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${words.join(" ")} ended with ${status}: ${stderr}`);
}
