// Random access, reading in order, opening and memory of an indexed file. Both sides of a ratio take turns in one process.
// MILLRACE_BENCH_ROWS sets the number of rows (2 million by default).
import { createReadStream, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openJsonl } from "millrace/datasets";

const rows = Number(process.env.MILLRACE_BENCH_ROWS ?? 2_000_000);
const folder = mkdtempSync(join(tmpdir(), "millrace-bench-"));
const path = join(folder, "rows.jsonl");
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const timed = async (act) => {
  // CPU time: the machine may be busy with something else.
  const from = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
};

try {
  const fd = openSync(path, "w");
  for (let at = 0; at < rows; at += 10_000) {
    let text = "";
    for (let n = at; n < Math.min(rows, at + 10_000); n++)
      text += `{"id":"utt-${n}","text":"some words of row ${n}","seconds":${n % 17}}\n`;
    writeSync(fd, text);
  }
  const before = process.memoryUsage().rss;
  let data;
  const buildMs = await timed(async () => {
    data = await openJsonl(path);
  });
  await data.close();
  const opens = [];
  for (let turn = 0; turn < 5; turn++) opens.push(await timed(async () => (await openJsonl(path)).close()));
  const openMs = median(opens);
  data = await openJsonl(path);
  for (let i = 0; i < data.length; i += 4096) data.at(i);
  const rssMb = (process.memoryUsage().rss - before) / 2 ** 20;

  // A hand-written index: all offsets in memory, one read a row.
  const offsets = new Float64Array(rows + 1);
  const hand = openSync(path, "r");
  {
    const chunk = Buffer.alloc(1 << 22);
    let [position, row] = [0, 1];
    for (let read = readSync(hand, chunk); read > 0; read = readSync(hand, chunk)) {
      for (let at = chunk.indexOf(10); at !== -1 && at < read; at = chunk.indexOf(10, at + 1))
        offsets[row++] = position + at + 1;
      position += read;
    }
  }
  const handAt = (i) => {
    const bytes = Buffer.allocUnsafe(offsets[i + 1] - offsets[i]);
    readSync(hand, bytes, 0, bytes.length, offsets[i]);
    return JSON.parse(bytes.toString("utf8"));
  };
  const asked = Array.from({ length: 100_000 }, (_, i) => (i * 7_919_333) % rows);
  const each = (act) => {
    for (const i of asked) act(i);
  };
  const random = { ours: [], hand: [] };
  for (let turn = 0; turn < 7; turn++) {
    random.ours.push(await timed(() => each((i) => data.at(i))));
    random.hand.push(await timed(() => each(handAt)));
  }
  const order = { ours: [], readline: [] };
  for (let turn = 0; turn < 3; turn++) {
    order.ours.push(
      await timed(async () => {
        for await (const row of data) if (row === null) throw new Error("no row");
      }),
    );
    order.readline.push(
      await timed(async () => {
        for await (const line of createInterface({
          input: createReadStream(path),
          crlfDelay: Number.POSITIVE_INFINITY,
        }))
          if (JSON.parse(line) === null) throw new Error("no row");
      }),
    );
  }
  const share = (a, b) => (median(a) / median(b)).toFixed(2);
  console.log(`${rows} rows, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
  console.log(
    `index built in ${buildMs.toFixed(0)} ms of CPU time, opened in ${openMs.toFixed(1)} ms, ${rssMb.toFixed(0)} MB with every page`,
  );
  console.log(
    `random access: ${((median(random.ours) / asked.length) * 1000).toFixed(2)} µs a row, ${share(random.ours, random.hand)} x the hand-written index`,
  );
  console.log(
    `in order: ${(rows / median(order.ours) / 1000).toFixed(2)} million rows a second, ${share(order.ours, order.readline)} x the time of readline`,
  );
  await data.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
