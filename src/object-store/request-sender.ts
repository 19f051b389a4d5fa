import { setTimeout as sleep } from "node:timers/promises";
import { MillraceError } from "../errors/errors.ts";
import { type CredentialSource, openCredentials } from "./credentials.ts";
import { noRequests, type RequestCounts } from "./request-counts.ts";
import { requireKey } from "./s3-address.ts";
import { type S3Settings, s3Settings } from "./s3-settings.ts";
import { encodeQuery, escapePart, signRequest } from "./sign-request.ts";
import { codeOf, storeError } from "./store-errors.ts";

/** One request to a bucket. */
interface StoreRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Answers that the caller deals with, besides 2xx; all others are errors. */
  readonly expects?: readonly number[];
  /** The body of a 2xx answer is left to the caller, who must read or cancel it. */
  readonly streams?: boolean;
  /** What a 2xx answer must be; another one counts as lost, and the request is tried again. */
  readonly isWhole?: (text: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

interface StoreAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty if the body is left to the caller. */
  readonly text: string;
  readonly body: ReadableStream<Uint8Array> | null;
}

export interface SenderOptions {
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** How often a request is tried. Default: 8, which takes about half a minute. */
  readonly maxTries?: number | undefined;
  /** How long an answer may take to begin, besides the time for the bytes that are sent. Default: 30,000. */
  readonly timeoutMs?: number | undefined;
  /** The first pause; each is up to twice as long as the one before. Default: 200. */
  readonly firstPauseMs?: number | undefined;
  /** How many requests are open at the same time. Default: 64. */
  readonly maxOpen?: number | undefined;
  readonly random?: (() => number) | undefined;
}

export interface RequestSender {
  readonly bucket: string;
  readonly counts: RequestCounts;
  /** The address of an object, without anything secret. */
  readonly url: (key: string) => URL;
  ask(request: StoreRequest): Promise<StoreAnswer>;
}

const maxPauseMs = 10_000;
// The slowest connection over which a body is sent in time.
const slowestBytesPerMs = 32;
// An error is a few hundred bytes, a page of a list of 1,000 keys at most some 3 MB.
const maxTextBytes = 16 * 2 ** 20;
const passing = new Set([408, 429, 500, 502, 503, 504]);
// A concurrent write (AWS), or a body that came too slowly.
const passingCodes = new Set(["ConditionalRequestConflict", "OperationAborted", "RequestTimeout", "SlowDown"]);
const expiredCodes = new Set(["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"]);

type Outcome =
  | { readonly kind: "answer"; readonly answer: StoreAnswer }
  | { readonly kind: "lost"; readonly cause: unknown };

/** Sends signed requests to one bucket. What may pass by itself is tried again, with growing random pauses. */
export function openRequestSender(bucket: string, options: SenderOptions = {}): RequestSender {
  const { maxTries = 8, timeoutMs = 30_000, firstPauseMs = 200, maxOpen = 64, random = Math.random } = options;
  const settings = s3Settings(options.variables);
  const credentials = openCredentials(settings, options);
  const counts = noRequests();
  const gate = openGate(maxOpen);
  const host: Host = { settings, credentials, bucket, region: settings.region, clockAheadMs: 0 };

  const ask = async (request: StoreRequest): Promise<StoreAnswer> => {
    if (request.key !== "") requireKey(bucket, request.key);
    const { expects = [], signal } = request;
    const learned = new Set<string>();
    for (let tries = 1; ; tries++) {
      signal?.throwIfAborted();
      const { isSigned, outcome } = await gate(() => tryOnce(host, request, { timeoutMs, counts }));
      if (tries > 1) counts.retries++;
      if (outcome.kind === "answer") {
        const { answer } = outcome;
        if (answer.status < 300) return answer;
        const lesson = learn(host, answer);
        if (lesson !== undefined && !learned.has(lesson)) {
          learned.add(lesson);
          continue;
        }
        if (expects.includes(answer.status)) return answer;
      }
      const status = outcome.kind === "answer" ? outcome.answer.status : undefined;
      const mayPass = outcome.kind === "lost" || passing.has(status!) || passingCodes.has(codeOf(outcome.answer.text));
      if (!mayPass || tries >= maxTries) {
        const failed = { bucket, method: request.method, key: request.key, tries, isSigned };
        throw outcome.kind === "lost"
          ? storeError({ ...failed, cause: outcome.cause })
          : storeError({ ...failed, ...outcome.answer, region: otherRegion(host, outcome.answer.headers) });
      }
      const retryAfterMs = outcome.kind === "answer" ? Number(outcome.answer.headers.get("retry-after")) * 1000 : 0;
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1)) * (0.5 + random() / 2);
      await sleep(retryAfterMs > 0 ? Math.min(30_000, retryAfterMs) : pauseMs, undefined, { signal });
    }
  };
  return { bucket, counts, url: (key) => urlOf(host, key), ask };
}

interface Host {
  readonly settings: S3Settings;
  readonly credentials: CredentialSource;
  readonly bucket: string;
  region: string;
  /** How far the store's clock is ahead of this host's; only known where the store has complained. */
  clockAheadMs: number;
}

interface TryOptions {
  readonly timeoutMs: number;
  readonly counts: RequestCounts;
}

async function tryOnce(
  host: Host,
  request: StoreRequest,
  { timeoutMs, counts }: TryOptions,
): Promise<{ isSigned: boolean; outcome: Outcome }> {
  const { method, query = [], body, streams, isWhole } = request;
  const url = urlOf(host, request.key);
  const plain = { "accept-encoding": "identity", ...request.headers };
  const credentials = await host.credentials.get();
  const now = new Date(Date.now() + host.clockAheadMs);
  const headers =
    credentials === undefined
      ? plain
      : signRequest(
          { method, url, query, headers: request.headers ?? {}, body },
          { credentials, region: host.region, now },
        );
  url.search = encodeQuery(query);
  count(counts, request);
  const stop = new AbortController();
  const onAbort = () => stop.abort(request.signal?.reason);
  request.signal?.addEventListener("abort", onAbort, { once: true });
  const limitMs = timeoutMs + (body?.length ?? 0) / slowestBytesPerMs;
  const onTimeout = () => stop.abort(new Error(`no answer came within ${Math.round(limitMs / 1000)} s`));
  const timer = setTimeout(onTimeout, limitMs);
  const isSigned = credentials !== undefined;
  try {
    const answer = await fetch(url, {
      method,
      headers: { ...plain, ...headers },
      redirect: "manual",
      signal: stop.signal,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
    });
    const { status } = answer;
    if (streams === true && status < 300) {
      return {
        isSigned,
        outcome: { kind: "answer", answer: { status, headers: answer.headers, text: "", body: answer.body } },
      };
    }
    const text = await readText(answer, counts);
    if (status < 300 && isWhole?.(text) === false) {
      return { isSigned, outcome: { kind: "lost", cause: new Error(codeOf(text) || "the answer is not complete") } };
    }
    return { isSigned, outcome: { kind: "answer", answer: { status, headers: answer.headers, text, body: null } } };
  } catch (cause) {
    if (cause instanceof MillraceError || request.signal?.aborted === true) throw cause;
    return { isSigned, outcome: { kind: "lost", cause } };
  } finally {
    clearTimeout(timer);
    if (streams !== true) request.signal?.removeEventListener("abort", onAbort);
  }
}

async function readText(answer: Response, counts: RequestCounts): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxTextBytes) throw new Error(`the answer has more than ${maxTextBytes} bytes`);
  }
  counts.receivedBytes += length;
  return Buffer.concat(pieces).toString("utf8");
}

function count(counts: RequestCounts, { method, key, body }: StoreRequest): void {
  if (method === "DELETE") counts.deletes++;
  else if (method === "PUT" || method === "POST") counts.writes++;
  else if (key === "" && method === "GET") counts.lists++;
  else counts.reads++;
  counts.sentBytes += body?.length ?? 0;
}

function urlOf({ settings, bucket, region }: Host, key: string): URL {
  const path = key.split("/").map(escapePart).join("/");
  const { endpoint = `https://s3.${region}.amazonaws.com`, isPathStyle } = settings;
  // A certificate for *.host does not hold for a bucket with a dot.
  const isInHost = !isPathStyle && !(bucket.includes(".") && endpoint.startsWith("https:"));
  if (!isInHost) return new URL(`${endpoint}/${bucket}${key === "" ? "" : "/"}${path}`);
  return new URL(`${endpoint.replace("://", `://${bucket}.`)}/${path}`);
}

/** What an answer says about how to ask the same again: the region, the time, new credentials. */
function learn(host: Host, { headers, text }: { headers: Headers; text: string }): string | undefined {
  const region = otherRegion(host, headers);
  if (region !== undefined) {
    host.region = region;
    return `region ${region}`;
  }
  const code = codeOf(text);
  if (code === "RequestTimeTooSkewed") {
    const storeMs = Date.parse(headers.get("date") ?? "");
    if (Number.isNaN(storeMs)) return undefined;
    host.clockAheadMs = storeMs - Date.now();
    return "time";
  }
  if (!expiredCodes.has(code)) return undefined;
  host.credentials.expire();
  return "credentials";
}

function otherRegion(host: Host, headers: Headers): string | undefined {
  const region = headers.get("x-amz-bucket-region");
  return region !== null && /^[a-z0-9-]{2,32}$/.test(region) && region !== host.region ? region : undefined;
}

/** Lets a number of calls run at the same time; the others wait in their order. */
function openGate(max: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (act) => {
    if (open >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else open++;
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) open--;
      else next();
    }
  };
}
