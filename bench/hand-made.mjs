// The hand-written alternative: child processes, each with half of the items and a buffered file.
import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workers, workItem } from "./work-item.mjs";

const self = fileURLToPath(import.meta.url);

export async function runByHand({ outputDir, count, job }) {
  mkdirSync(outputDir, { recursive: true });
  const children = Array.from({ length: workers }, (_, i) => {
    const [from, to] = [Math.floor((i * count) / workers), Math.floor(((i + 1) * count) / workers)];
    return fork(self, [join(outputDir, `part-${i}.jsonl`), String(from), String(to), JSON.stringify(job)]);
  });
  await Promise.all(children.map((child) => once(child, "exit")));
}

function runPart(path, from, to, job) {
  const fd = openSync(path, "w");
  let text = "";
  for (let idx = from; idx < to; idx++) {
    text += `${JSON.stringify(workItem(idx, job))}\n`;
    if (text.length >= 65_536) {
      writeSync(fd, text);
      text = "";
    }
  }
  writeSync(fd, text);
  closeSync(fd);
}

if (process.argv[1] === self) {
  const [path, from, to, job] = process.argv.slice(2);
  runPart(path, Number(from), Number(to), JSON.parse(job));
}
