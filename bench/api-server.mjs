// A server that answers a list of items after some time, as a process of its own: node api-server.mjs SETTINGS, which are
// JSON: latencyMs, refusedShare (calls that get a 503), perSecond (more get a 429). Prints its address.
import { createServer } from "node:http";

const { latencyMs = 200, refusedShare = 0, perSecond } = JSON.parse(process.argv[2] ?? "{}");
const counts = { items: 0, calls: 0, busy: 0, tooMany: 0, firstMs: 0, lastMs: 0 };
// A token bucket with a fifth of a second's calls to spare: calls take some time to get here, not always the same.
const capacity = perSecond / 5;
let tokens = capacity;
let filledMs = performance.now();

function mayBegin() {
  if (perSecond === undefined) return true;
  const nowMs = performance.now();
  tokens = Math.min(capacity, tokens + ((nowMs - filledMs) * perSecond) / 1000);
  filledMs = nowMs;
  if (tokens < 1) return false;
  tokens--;
  return true;
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/counts") return response.end(JSON.stringify(counts));
  counts.calls++;
  counts.lastMs = performance.now();
  counts.firstMs ||= counts.lastMs;
  if (!mayBegin()) {
    counts.tooMany++;
    return response.writeHead(429, { "retry-after": "0.1" }).end();
  }
  if (Math.random() < refusedShare) {
    counts.busy++;
    return response.writeHead(503).end();
  }
  const items = searchParams.get("items").split(",").map(Number);
  counts.items += items.length;
  setTimeout(() => response.end(JSON.stringify(items.map((idx) => ({ idx, text: `answer ${idx}` })))), latencyMs);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", 4096, () => console.log(`http://127.0.0.1:${server.address().port}`));
