import { type ActionAnswer, type ApiError, addresses, postHeaders } from "../../../src/dashboard/run-view.ts";
import type { RunSource } from "./run-source.ts";
import { watchEvents } from "./watch-events.ts";

/** A data source that reads from the server of this page. */
export function serverSource(): RunSource {
  return {
    isLive: true,
    keptFailures: undefined,
    runs: () => ask(addresses.runs),
    watch: (id, listener) => watchEvents(addresses.stream(id), listener),
    failures: (id, offset, limit) => ask(addresses.failures(id, offset, limit)),
    logs: (id) => ask(addresses.logs(id)),
    log: (id, name, from) => ask(addresses.log(id, name, from)),
    plan: (id) => ask(addresses.plan(id)),
    shard: (id, shard) => ask(addresses.shard(id, shard)),
    act: (id, action) => order(addresses.act(id, action)),
  };
}

async function ask<T>(address: string): Promise<T> {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(await whyNot(response));
  return (await response.json()) as T;
}

/** A refusal is a valid response. */
async function order(address: string): Promise<ActionAnswer> {
  try {
    const response = await fetch(address, { method: "POST", headers: postHeaders, body: "{}" });
    const answer = (await response
      .clone()
      .json()
      .catch(() => undefined)) as Partial<ActionAnswer> | undefined;
    if (typeof answer?.message === "string") return { ok: response.ok && answer.ok !== false, message: answer.message };
    return { ok: response.ok, message: response.ok ? "Done." : await whyNot(response) };
  } catch {
    return { ok: false, message: "The server does not respond. Is `millrace dashboard` still running?" };
  }
}

async function whyNot(response: Response): Promise<string> {
  const said = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
  return typeof said?.error === "string"
    ? said.error
    : `The server responded with ${response.status} ${response.statusText}.`;
}
