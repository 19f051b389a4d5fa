// A fake of the Hugging Face hub for datasets: a revision's commit, the list of files in pages, and files by range. Large files
// are redirected to another host, as the hub does. Written after the requests that @huggingface/hub makes.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

export const repo = "me/corpus";
export const commit = "0123456789abcdef0123456789abcdef01234567";
const token = "hf_only-for-the-hub";

interface Seen {
  readonly host: "hub" | "files";
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

/** A page of the list: what is sent, and the address of the next page. */
interface ListPage {
  readonly body: string;
  readonly next?: string | undefined;
}

export interface DatasetHub {
  readonly files: Map<string, Buffer>;
  readonly seen: Seen[];
  /** What the branch `main` is at. */
  commit: string;
  /** Answers instead of the hub if it returns true. */
  answerFirst?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Sends these pages instead of the list. */
  pages?: ((page: number) => ListPage) | undefined;
  readonly url: string;
}

const filesAPage = 3;
const largeBytes = 1000;

/** Starts the hub, and sets the environment for it; both end with the test. */
export async function startDatasetHub(files: Readonly<Record<string, string | Uint8Array>>): Promise<DatasetHub> {
  const hub: { -readonly [Key in keyof DatasetHub]: DatasetHub[Key] } = {
    files: new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes as Uint8Array)])),
    seen: [],
    commit,
    url: "",
  };
  const storage = await listen((request, response) => {
    note(hub, "files", request);
    sendPart(request, response, hub.files.get(decodeURIComponent(request.url!.slice(1))));
  });
  hub.url = await listen((request, response) => {
    note(hub, "hub", request);
    if (hub.answerFirst?.(request, response) !== true) answer(hub, { request, response, storage });
  });
  const cache = temporaryFolder();
  for (const [name, value] of Object.entries({ HF_ENDPOINT: hub.url, HF_TOKEN: token, MILLRACE_CACHE: cache }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return hub;
}

function note({ seen }: DatasetHub, host: Seen["host"], { url = "", headers }: IncomingMessage): void {
  seen.push({ host, path: decodeURIComponent(url), range: headers.range, authorization: headers.authorization });
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly storage: string };

function answer(hub: DatasetHub, { request, response, storage }: Exchange): void {
  const { pathname, searchParams } = new URL(request.url!, hub.url);
  const path = decodeURIComponent(pathname);
  const [, tree] = new RegExp(`^/api/datasets/${repo}/tree/${hub.commit}(/.*)?$`).exec(path) ?? [];
  const [, name] = new RegExp(`^/datasets/${repo}/resolve/(?:main|${hub.commit})/(.*)$`).exec(path) ?? [];
  if (path === `/api/datasets/${repo}/revision/main`) response.end(JSON.stringify({ sha: hub.commit }));
  else if (path.startsWith(`/api/datasets/${repo}/tree/${hub.commit}`))
    sendPage(hub, response, { folder: (tree ?? "").slice(1), page: Number(searchParams.get("cursor") ?? 0) });
  else if (name !== undefined && (hub.files.get(name)?.length ?? 0) > largeBytes)
    response.writeHead(302, { location: `${storage}/${encodeURIComponent(name)}` }).end();
  else sendPart(request, response, name === undefined ? undefined : hub.files.get(name));
}

function sendPage(
  hub: DatasetHub,
  response: ServerResponse,
  { folder, page }: { readonly folder: string; readonly page: number },
): void {
  const own = hub.pages?.(page);
  if (own !== undefined) {
    response.writeHead(200, own.next === undefined ? {} : { link: `<${own.next}>; rel="next"` }).end(own.body);
    return;
  }
  const within = [...hub.files].filter(([name]) => folder === "" || name.startsWith(`${folder}/`));
  if (within.length === 0) return void response.writeHead(404).end();
  const folders = new Set(within.flatMap(([name]) => (name.includes("/") ? [name.split("/")[0]!] : [])));
  const entries = [
    ...[...folders].map((path) => ({ type: "directory", oid: "0".repeat(40), size: 0, path })),
    ...within.map(([path, bytes]) => ({ type: "file", oid: "0".repeat(40), size: bytes.length, path })),
  ];
  const end = (page + 1) * filesAPage;
  const next = `${hub.url}/api/datasets/${repo}/tree/${hub.commit}${folder && `/${folder}`}?recursive=true&cursor=${page + 1}`;
  response.writeHead(200, end < entries.length ? { link: `<${next}>; rel="next"` } : {});
  response.end(JSON.stringify(entries.slice(page * filesAPage, end)));
}

function sendPart({ headers }: IncomingMessage, response: ServerResponse, bytes: Buffer | undefined): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
  if (bytes === undefined) return void response.writeHead(404).end();
  if (from === undefined || bytes.length === 0) return void response.writeHead(416).end();
  const end = Math.min(Number(to), bytes.length - 1);
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  response.writeHead(206, { etag, "content-range": `bytes ${from}-${end}/${bytes.length}` });
  response.end(bytes.subarray(Number(from), end + 1));
}

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
