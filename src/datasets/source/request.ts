import { MillraceError, messageOf } from "../../errors/errors.ts";
import { sleep } from "../../runtime/sleep.ts";

/** A file on a server, and how requests to it are made. */
export interface RemoteFile {
  /** The address as the user wrote it, for messages: never with a secret. */
  readonly name: string;
  readonly url: string;
  /** Headers for a request to this address; called for each, because signatures have a time. Only for the first host. */
  readonly headers: (method: "GET", url: URL, extra: Readonly<Record<string, string>>) => Record<string, string>;
}

const maxTries = 5;
const firstWaitMs = 200;
const maxWaitMs = 30_000;
const maxRedirects = 10;

/** Asks for a part of a file. What may pass by itself (429, 5xx, a lost connection) is tried again. */
export async function requestRange(
  file: RemoteFile,
  range: string,
  extra: Record<string, string> = {},
): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(file, { range, ...extra });
    if (outcome instanceof Response && outcome.status !== 429 && outcome.status < 500) return outcome;
    const retryAfter = outcome instanceof Response ? Number(outcome.headers.get("retry-after")) * 1000 : 0;
    if (outcome instanceof Response) await outcome.body?.cancel();
    if (tries >= maxTries) throw failed(file, tries, outcome);
    const backOff = firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random());
    await sleep(Math.min(maxWaitMs, retryAfter > 0 ? retryAfter : backOff));
  }
}

async function tryOnce(file: RemoteFile, extra: Record<string, string>): Promise<Response | Error> {
  try {
    return await follow(file, extra);
  } catch (error) {
    if (error instanceof MillraceError) throw error;
    return error instanceof Error ? error : new Error(messageOf(error));
  }
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

function failed({ name }: RemoteFile, tries: number, outcome: Response | Error): MillraceError {
  const cause = outcome instanceof Error ? outcome : undefined;
  const inner = cause?.cause instanceof Error ? `: ${cause.cause.message}` : "";
  const why = outcome instanceof Response ? `the server answers ${outcome.status}` : `${outcome.message}${inner}`;
  return unreadable(name, `${why} (tried ${tries} times)`, cause);
}

/** The error for an address that cannot be read. */
export function unreadable(name: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_FILE", `${name} cannot be read: ${why}.`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "Check the address, your rights to it and the network; nothing that was read is lost.",
  });
}
