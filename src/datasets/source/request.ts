import { MillraceError, messageOf } from "../../errors/errors.ts";
import { sleep } from "../../runtime/sleep.ts";

/** A file on a server, and how requests to it are made. */
export interface RemoteFile {
  /** The address as the user wrote it, for messages: never with a secret. */
  readonly name: string;
  /** What distinguishes this file from all others in a cache: a digest of its address. */
  readonly key: string;
  readonly url: string;
  /** Headers for a request to this address; called for each, because signatures have a time. Only for the first host. */
  readonly headers: (method: "GET", url: URL, extra: Readonly<Record<string, string>>) => Record<string, string>;
}

const maxTries = 5;
const firstWaitMs = 200;
const maxWaitMs = 30_000;
const maxRedirects = 10;

/** A part of a file, first and last byte included. */
export interface FilePart {
  readonly from: number;
  readonly to: number;
}

/** What a server answers. `bytes` is empty if it is anything but the part that was asked for. */
export interface RangeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

/** Asks for a part of a file. What may pass by itself (429, 5xx, a lost connection) is tried again. */
export async function requestRange(
  file: RemoteFile,
  range: FilePart,
  extra: Record<string, string> = {},
): Promise<RangeAnswer> {
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(file, range, extra);
    if (!(outcome instanceof Error) && outcome.status !== 429 && outcome.status < 500) return outcome;
    if (tries >= maxTries) throw failed(file, tries, outcome);
    const retryAfter = outcome instanceof Error ? 0 : Number(outcome.headers.get("retry-after")) * 1000;
    const backOff = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random());
    await sleep(Math.min(maxWaitMs, retryAfter > 0 ? retryAfter : backOff));
  }
}

async function tryOnce(file: RemoteFile, range: FilePart, extra: Record<string, string>): Promise<RangeAnswer | Error> {
  try {
    const answer = await follow(file, { range: `bytes=${range.from}-${range.to}`, ...extra });
    const { status, headers } = answer;
    if (status === 206) return { status, headers, bytes: await readPart(answer, file, range) };
    await answer.body?.cancel();
    return { status, headers, bytes: Buffer.alloc(0) };
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}

/** The bytes of a part. A server that sends more than was asked for is stopped; one that sends less is asked again. */
async function readPart(answer: Response, { name }: RemoteFile, { from, to }: FilePart): Promise<Buffer> {
  const wanted = to - from + 1;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > wanted) throw unreadable(name, `more than ${wanted} bytes came for bytes ${from} to ${to}`);
  }
  const isRange = (answer.headers.get("content-range") ?? "").startsWith(`bytes ${from}-${to}/`);
  if (!isRange) throw unreadable(name, `another part came for bytes ${from} to ${to}`);
  if (length < wanted) throw new Error(`${length} bytes came for bytes ${from} to ${to}`);
  return Buffer.concat(pieces);
}

/** Redirects are followed here: `fetch` would also send credentials to other hosts, and follow from https to http. */
async function follow(file: RemoteFile, extra: Record<string, string>): Promise<Response> {
  let url = new URL(file.url);
  const { origin, protocol } = url;
  for (let i = 0; i <= maxRedirects; i++) {
    const own = url.origin === origin ? file.headers("GET", url, extra) : extra;
    const answer = await fetch(url, { redirect: "manual", headers: { "accept-encoding": "identity", ...own } });
    if (answer.status < 300 || answer.status > 399) return answer;
    await answer.body?.cancel();
    url = new URL(answer.headers.get("location") ?? "", url);
    if (url.protocol !== "https:" && url.protocol !== protocol) {
      throw unreadable(file.name, `it is redirected to an address of ${url.protocol}`);
    }
  }
  throw unreadable(file.name, `it is redirected more than ${maxRedirects} times`);
}

function failed({ name }: RemoteFile, tries: number, outcome: RangeAnswer | Error): MillraceError {
  const cause = outcome instanceof Error ? outcome : undefined;
  const inner = cause?.cause instanceof Error ? `: ${cause.cause.message}` : "";
  const why = outcome instanceof Error ? `${outcome.message}${inner}` : `the server answers ${outcome.status}`;
  return unreadable(name, `${why} (tried ${tries} times)`, cause);
}

/** The error for an address that cannot be read. */
export function unreadable(name: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_FILE", `${name} cannot be read: ${why}.`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "Check the address, your rights to it and the network; nothing that was read is lost.",
  });
}
