import { MillraceError } from "../../errors/errors.ts";
import { parseJson } from "../../formats/parse-json.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { isPathWithin } from "../../hub/hub-names.ts";
import { outputLimit } from "../../input/output-limit.ts";
import { isPlainObject } from "../../values/state-json.ts";
import type { ListedFile } from "../folder/list-files.ts";
import { followRedirects } from "../source/follow-redirects.ts";
import { escapePath, type HubAddress, hubAddress, hubHeaders, onlineHub } from "../source/hub-address.ts";
import { openStore } from "../source/open-store.ts";
import { type RemoteFile, requestWhole, unreadable } from "../source/request.ts";
import type { DatasetFiles, HuggingFaceFile } from "./dataset-files.ts";
import { maxCardBytes } from "./read-card.ts";

// A page has a thousand files, about 300 bytes each.
const maxPageBytes = 16 * 2 ** 20;
const maxFiles = 2_000_000;
const mediaAtOnce = 8;
const mediaPartBytes = 8 * 2 ** 20;
const maxMediaBytes = 2 ** 30;

/** The files of a dataset on the hub, all of the commit that its revision has now: it may change in between. */
export async function hubFiles(address: string): Promise<DatasetFiles> {
  const asked = hubAddress(address);
  const hub = openApi(address, asked);
  const commit = await commitOf(hub, asked);
  const files = await listRepository(hub, { ...asked, revision: commit });
  const base = `hf://datasets/${asked.repo}@${commit}${asked.path === "" ? "" : `/${asked.path}`}`;
  const place = (name: string) => `${base}/${name}`;
  const sizes = new Map(files.map(({ name, sizeBytes }) => [name, sizeBytes]));
  const limit = limitCalls(mediaAtOnce);
  return {
    name: address,
    files,
    card: sizes.has("README.md") ? await cardAt(place("README.md"), sizes.get("README.md")!) : undefined,
    isLocal: false,
    place,
    media: (name) => {
      const size = sizes.get(name);
      if (size === undefined) throw refuseFile(place(name), undefined, "the repository has no such file");
      return limit(() => readMedia(place(name), size));
    },
  };
}

/** Asks the hub's API about one repository. */
interface HubApi {
  /** The address of the user, for messages. */
  readonly address: string;
  /** The value of an answer, and the address where a list continues. */
  ask(path: string): Promise<{ readonly value: unknown; readonly next: string | undefined }>;
}

function openApi(address: string, { repo }: HubAddress): HubApi {
  const settings = onlineHub(address);
  const root = `${settings.endpoint}/api/datasets/${repo}/`;
  const secretHeaders = hubHeaders(settings);
  const ask = async (path: string) => {
    const url = path.startsWith(root) ? path : `${root}${path}`;
    const target = { name: address, url, secretHeaders };
    const file: RemoteFile = { name: address, key: "", get: (headers) => followRedirects(target, headers) };
    const { status, headers, bytes } = await requestWhole(file, maxPageBytes);
    if (status !== 200) throw refused(address, status, settings.token !== undefined);
    const place = { file: address, offset: 0, what: "the answer of the hub", limit: outputLimit(bytes.length) };
    const [, next] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get("link") ?? "") ?? [];
    // A list that continues elsewhere would send the token there.
    if (next !== undefined && !next.startsWith(root))
      throw unreadable(address, "its list continues at another address");
    return { value: parseJson(bytes.toString("utf8"), place), next };
  };
  return { address, ask };
}

function refused(address: string, status: number, hasToken: boolean): MillraceError {
  if (![401, 403, 404].includes(status)) return unreadable(address, `the hub answers ${status}`);
  const rights = hasToken ? "that HF_TOKEN may read it" : "that it is public (HF_TOKEN is not set)";
  return new MillraceError("BAD_FILE", `${address} cannot be listed: the hub answers ${status}.`, {
    hint: `Check the owner, the name, the revision and the folder, and ${rights}. A file is opened with openParquet or openJsonl.`,
  });
}

async function commitOf({ address, ask }: HubApi, { revision }: HubAddress): Promise<string> {
  if (isCommit(revision)) return revision;
  const { value } = await ask(`revision/${encodeURIComponent(revision)}?expand=sha`);
  const commit = isPlainObject(value) ? value["sha"] : undefined;
  if (isCommit(commit)) return commit;
  throw unreadable(address, "the hub does not say which commit its revision is");
}

function isCommit(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{40}$/.test(text);
}

/** All files below the folder of the address, page by page, with names from that folder. */
async function listRepository({ address, ask }: HubApi, { revision, path }: HubAddress): Promise<ListedFile[]> {
  const prefix = path === "" ? "" : `${path}/`;
  const files = new Map<string, ListedFile>();
  const pages = new Set<string>();
  let next: string | undefined = `tree/${revision}${path === "" ? "" : `/${escapePath(path)}`}?recursive=true`;
  while (next !== undefined) {
    if (pages.has(next)) throw unreadable(address, "its list leads back to a page that was read");
    pages.add(next);
    const page = await ask(next);
    if (!Array.isArray(page.value)) throw unreadable(address, "the hub sends no list of files");
    for (const entry of page.value as unknown[]) addFile(files, entry, { address, prefix });
    if (files.size > maxFiles || pages.size > maxFiles) throw unreadable(address, `it has more than ${maxFiles} files`);
    next = page.next;
  }
  // By code units, as in a folder of this machine.
  return [...files.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addFile(
  files: Map<string, ListedFile>,
  entry: unknown,
  { address, prefix }: { readonly address: string; readonly prefix: string },
): void {
  const { type, path, size } = isPlainObject(entry) ? entry : {};
  if (type === "directory") return;
  const isRight = type === "file" && typeof path === "string" && isPathWithin(path) && path.startsWith(prefix);
  if (!isRight || !Number.isSafeInteger(size) || (size as number) < 0)
    throw unreadable(address, `its list has an entry that is no file of it: ${JSON.stringify(entry)?.slice(0, 200)}`);
  const name = path.slice(prefix.length);
  if (files.has(name)) throw unreadable(address, `its list has ${JSON.stringify(name.slice(0, 200))} twice`);
  files.set(name, { name, sizeBytes: size as number });
}

async function cardAt(place: string, sizeBytes: number): Promise<{ place: string; text: string }> {
  if (sizeBytes > maxCardBytes) throw refuseFile(place, 0, `a card of ${sizeBytes} bytes is too long`);
  return { place, text: (await readWhole(place, sizeBytes)).toString("utf8") };
}

async function readMedia(place: string, sizeBytes: number): Promise<HuggingFaceFile> {
  if (sizeBytes > maxMediaBytes) {
    throw refuseFile(place, 0, `a file of ${sizeBytes} bytes does not fit into a row (at most ${maxMediaBytes})`, {
      hint: "Download the dataset and open its folder: rows then hold paths.",
    });
  }
  return { bytes: await readWhole(place, sizeBytes), path: place };
}

/** All bytes of a file whose size the list has said. */
async function readWhole(place: string, sizeBytes: number): Promise<Buffer> {
  // Servers have no range of an empty file.
  if (sizeBytes === 0) return Buffer.alloc(0);
  const store = await openStore(place);
  try {
    if (store.size !== sizeBytes)
      throw refuseFile(place, 0, `it has ${store.size} bytes, and ${sizeBytes} in the list of its repository`);
    const parts: Buffer[] = [];
    for (let at = 0; at < sizeBytes; at += mediaPartBytes)
      parts.push(await store.read(at, Math.min(mediaPartBytes, sizeBytes - at)));
    return Buffer.concat(parts);
  } finally {
    await store.close();
  }
}

/** Calls functions, at most `atOnce` at the same time. */
function limitCalls(atOnce: number): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let working = 0;
  return async (call) => {
    if (working === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else working++;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next === undefined) working--;
      else next();
    }
  };
}
