import type { IncomingMessage, ServerResponse } from "node:http";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import type { RunAction } from "../run-view.ts";
import { viewFailures } from "../view/failure-page.ts";
import { listLogs, readLog } from "../view/log-files.ts";
import { viewPlan } from "../view/plan-view.ts";
import { viewShard } from "../view/shard-view.ts";
import { openEventStream } from "./event-stream.ts";
import { Refusal } from "./refusal.ts";
import { sendJson } from "./respond.ts";
import type { RunActions } from "./run-actions.ts";
import type { ListedRun, RunList } from "./run-list.ts";

export interface ApiContext {
  readonly runs: RunList;
  readonly actions: RunActions;
  /** The streams that are open now. */
  readonly streams: Set<ServerResponse>;
}

const maxStreams = 100;
const maxFailures = 500;
const maxBodyBytes = 4096;
const actionNames: readonly string[] = ["cancel", "drain", "retry"] satisfies RunAction[];

/** Handles requests below /api/; `words` are the decoded parts of the path. */
export async function handleApi(
  request: IncomingMessage,
  response: ServerResponse,
  { words, query }: { readonly words: readonly string[]; readonly query: URLSearchParams },
  context: ApiContext,
): Promise<void> {
  const [what, id, part, detail, ...more] = words;
  if (what !== "runs" || more.length > 0) throw notFound();
  if (request.method === "POST") {
    if (id === undefined || part === undefined || detail !== undefined || !actionNames.includes(part)) throw notFound();
    await readBody(request);
    const answer = await context.actions.act(context.runs.find(id), part as RunAction);
    return sendJson(request, response, answer, answer.ok ? 200 : 409);
  }
  if (id === undefined) return sendJson(request, response, await context.runs.cards());
  if (part !== undefined && actionNames.includes(part)) throw new Refusal(405, "Use POST for this.");
  const run = context.runs.find(id);
  if (part === "events" && detail === undefined) return stream(request, response, run, context);
  const value = await read(run, { part, detail, query });
  if (value === undefined) throw notFound();
  sendJson(request, response, value);
}

async function read(
  { runDir, watch }: ListedRun,
  {
    part,
    detail,
    query,
  }: { readonly part: string | undefined; readonly detail: string | undefined; readonly query: URLSearchParams },
): Promise<unknown> {
  const paths = runPaths(runDir);
  const number = (name: string, usual: number) => numberOf(query.get(name), usual);
  if (part === "logs" && detail === undefined) return listLogs(paths);
  if (part === "logs") return readLog(paths, detail!, number("from", 0));
  if (part === "shards" && /^\d{1,9}$/.test(detail ?? "")) return viewShard(await watch.view(), Number(detail));
  if (detail !== undefined) return undefined;
  if (part === "plan") return viewPlan(paths);
  if (part !== "failures") return undefined;
  const limit = Math.min(maxFailures, Math.max(1, number("limit", 50)));
  return viewFailures(await watch.view(), { offset: Math.max(0, number("offset", 0)), limit });
}

function stream(
  request: IncomingMessage,
  response: ServerResponse,
  { watch }: ListedRun,
  { streams }: ApiContext,
): void {
  if (request.method === "HEAD") throw new Refusal(405, "Use GET for a stream.");
  if (streams.size >= maxStreams) throw new Refusal(503, "Too many pages watch already.");
  streams.add(response);
  openEventStream(response, watch, () => streams.delete(response));
}

/** The body is not used; it is read so that the connection can be reused. */
async function readBody(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBodyBytes) throw new Refusal(413, "The body is too large.");
  }
}

function numberOf(text: string | null, usual: number): number {
  if (text === null) return usual;
  if (!/^-?\d{1,15}$/.test(text)) throw new Refusal(400, "A whole number was expected.");
  return Number(text);
}

function notFound(): Refusal {
  return new Refusal(404, "There is nothing here.");
}
