import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ActionAnswer, RunCard, ShardView, Snapshot, Update } from "../../../src/dashboard/run-view.ts";
import { madeUpFailures, madeUpLog, madeUpPlan, madeUpSnapshot, retryCommand } from "./made-up-run.ts";

const built = fileURLToPath(new URL("../../../dist/web/", import.meta.url));
const kinds: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };

/** The policy that the real server sends. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A server with the contract of the real one and data that is always the same. */
export interface MadeUpServer {
  readonly url: string;
  /** What was posted, as "path body". */
  readonly posted: readonly string[];
  update(update: Update): void;
  /** Breaks off every stream, and accepts no new one until `resume`. */
  interrupt(): void;
  resume(): void;
  append(text: string): void;
}

export async function startMadeUpServer(
  snapshot: Snapshot = madeUpSnapshot(),
  { runs = [{ id: "prep", folder: ".", state: "running" }] as readonly RunCard[], failures = madeUpFailures } = {},
): Promise<MadeUpServer> {
  const streams = new Set<ServerResponse>();
  const posted: string[] = [];
  let isSilent = false;
  let log = madeUpLog;

  const answer = (path: string, query: URLSearchParams): unknown => {
    const [, , , , part, detail] = path.split("/");
    if (path === "/api/runs") return runs;
    if (part === "failures") {
      const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
      return { total: failures.length, offset, failures: failures.slice(offset, offset + limit), retryCommand };
    }
    if (part === "plan") return madeUpPlan;
    if (part === "logs" && detail === undefined)
      return ["driver-1", "node1-4000-a"].map((name) => ({ name, bytes: log.length }));
    if (part === "logs") {
      const from = Number(query.get("from"));
      return { text: log.slice(from), from, next: log.length, bytes: log.length };
    }
    if (part === "shards") return madeUpShard(Number(detail), snapshot);
    return undefined;
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    response.setHeader("content-security-policy", policy);
    const json = (value: unknown) => response.setHeader("content-type", "application/json").end(JSON.stringify(value));
    if (request.method === "POST") {
      let body = "";
      request.on("data", (part) => (body += part));
      request.on("end", () => {
        posted.push(`${pathname} ${body}`);
        json({ ok: true, message: `asked: ${pathname.split("/").at(-1)}` } satisfies ActionAnswer);
      });
    } else if (pathname.endsWith("/events")) {
      if (isSilent) return void response.destroy();
      response.setHeader("content-type", "text/event-stream");
      response.write(`event: snapshot\ndata: ${JSON.stringify(snapshot)}\n\n`);
      streams.add(response);
      response.on("close", () => streams.delete(response));
    } else if (pathname.startsWith("/api/")) {
      json(answer(pathname, searchParams));
    } else {
      const name = pathname === "/" ? "index.html" : pathname.slice(1);
      try {
        response.setHeader("content-type", `${kinds[name.split(".").at(-1)!]}; charset=utf-8`);
        response.end(readFileSync(`${built}${name}`));
      } catch {
        response.writeHead(404).end();
      }
    }
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    posted,
    update(update) {
      for (const stream of streams) stream.write(`event: update\ndata: ${JSON.stringify(update)}\n\n`);
    },
    interrupt() {
      isSilent = true;
      for (const stream of streams) stream.destroy();
    },
    resume() {
      isSilent = false;
    },
    append(text) {
      log += text;
    },
  };
}

function madeUpShard(shard: number, { shards }: Snapshot): ShardView {
  return {
    shard,
    from: 100 * shard,
    to: 100 * shard + 100,
    letter: shards[shard] as ShardView["letter"],
    worker: "node1-4000-a",
    attempt: 0,
    counts: { items: 100, written: 98, dropped: 1, failed: 1 },
    files: [{ name: "records.jsonl", bytes: 21_345 }],
  };
}
