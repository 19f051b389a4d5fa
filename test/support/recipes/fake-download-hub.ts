// A fake of the Hugging Face hub: the resolve endpoint and the list of files, as its documentation describes them. Large
// files are redirected to another address, and their SHA-256 is the linked ETag; small ones are objects of git.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export const commit = "0123456789abcdef0123456789abcdef01234567";

export interface FakeHub {
  readonly url: string;
  /** "METHOD path" of every request, with the token where there was one. */
  readonly requests: string[];
  /** Bytes of bodies that went out. */
  sentBytes: number;
}

export interface FakeHubOptions {
  /** Sends fewer bytes than announced and ends the connection. */
  readonly cutAt?: number;
  /** Sends other bytes than announced. */
  readonly damages?: boolean;
  /** How many bytes more than announced are sent. */
  readonly addedBytes?: number;
  /** The file is an object of git: no redirect, and its ETag is the id of its blob. */
  readonly isGit?: boolean;
  /** What is answered when the files are asked for, instead of their list. */
  readonly list?: string | undefined;
  /** What every file is, whatever its address. */
  readonly anyFile?: Uint8Array;
  /** Headers that replace those of a file; an empty one is left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Speaks TLS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** The id that git gives a file. */
export function gitBlobId(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Starts a hub with one repository; it ends with the test. */
export async function startFakeHub(
  repo: string,
  files: Readonly<Record<string, Uint8Array>>,
  options: FakeHubOptions = {},
): Promise<FakeHub> {
  const hub: FakeHub = { url: "", requests: [], sentBytes: 0 };
  const list = options.list ?? JSON.stringify({ siblings: Object.keys(files).map((rfilename) => ({ rfilename })) });
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { authorization } = request.headers;
    hub.requests.push(`${request.method} ${request.url}${authorization === undefined ? "" : ` ${authorization}`}`);
    const path = decodeURIComponent(request.url!);
    if (path === `/api/models/${repo}/revision/main`) {
      response.end(list);
      return;
    }
    const [, name] = new RegExp(`^/(?:${repo}/resolve/(?:main|${commit})|cdn)/(.*)$`).exec(path) ?? [];
    const bytes = options.anyFile ?? (name === undefined ? undefined : files[name]);
    if (bytes === undefined) {
      response.writeHead(404, { "x-error-code": path.startsWith(`/${repo}/`) ? "EntryNotFound" : "RepoNotFound" });
      response.end();
      return;
    }
    if (!path.startsWith("/cdn/") && (request.method === "HEAD" || options.isGit !== true)) {
      response.writeHead(options.isGit === true ? 200 : 302, fileHeaders(bytes, name ?? "any", options));
      response.end();
      return;
    }
    sendBody(response, bytes, { ...options, onSent: (count) => (hub.sentBytes += count) });
  };
  return Object.assign(hub, { url: await listen(answer, options) });
}

function fileHeaders(bytes: Uint8Array, name: string, { isGit, headers = {} }: FakeHubOptions): Record<string, string> {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const usual: Record<string, string> =
    isGit === true
      ? { etag: `"${gitBlobId(bytes)}"`, "content-length": String(bytes.length) }
      : { "x-linked-etag": `"${sha256}"`, "x-linked-size": String(bytes.length), location: `/cdn/${name}` };
  const all = { "x-repo-commit": commit, ...usual, ...headers };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

function sendBody(
  response: ServerResponse,
  bytes: Uint8Array,
  { cutAt, damages, addedBytes = 0, onSent }: FakeHubOptions & { readonly onSent: (count: number) => void },
): void {
  const sent = damages === true ? bytes.map((byte) => byte ^ 1) : bytes;
  response.writeHead(200, addedBytes > 0 ? {} : { "content-length": bytes.length });
  if (cutAt !== undefined) {
    response.write(sent.subarray(0, cutAt), () => response.destroy());
    return;
  }
  const block = Buffer.alloc(2 ** 16);
  let left = addedBytes;
  const sendMore = () => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      onSent(block.length);
      if (!response.write(block)) return response.once("drain", sendMore);
    }
    return response.end();
  };
  response.write(sent, sendMore);
}

async function listen(answer: RequestListener, { tls }: FakeHubOptions): Promise<string> {
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
