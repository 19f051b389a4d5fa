import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MillraceError } from "../../../index.ts";
import { type HubFile, type HubSettings, repoFolder } from "./hub.ts";
import { explainHubFailure } from "./hub-errors.ts";

/** What the hub says of a file before it is fetched. */
interface FileMetadata {
  readonly commit: string;
  /** The SHA-256 of a large file, the git object of a small one. */
  readonly etag: string;
  readonly size: number | undefined;
}

/**
 * Fetches a file into the cache, in the layout that all tools of the hub share, and keeps its SHA-256 beside it. What does
 * not come whole, or is not what the hub announced, is not kept.
 */
export async function fetchFromHub(wanted: HubFile, settings: HubSettings): Promise<string> {
  const file = wanted.file ?? (await findOnnxFile(wanted, settings));
  const hubFile = { ...wanted, file };
  const url = `${settings.endpoint}/${wanted.repo}/resolve/${encodeURIComponent(wanted.revision)}/${encodePath(file)}`;
  const { commit, etag, size } = metadataOf(
    await ask(url, hubFile, settings, { method: "HEAD", redirect: "manual" }),
    url,
  );
  const folder = repoFolder(settings, wanted.repo);
  const blob = join(folder, "blobs", etag);
  const path = join(folder, "snapshots", commit, ...file.split("/"));
  if (!existsSync(blob)) {
    const partial = `${blob}.${process.pid}.incomplete`;
    mkdirSync(dirname(blob), { recursive: true });
    try {
      const digest = await download(await ask(url, hubFile, settings, {}), partial, { size, url });
      const isDigest = /^[0-9a-f]{64}$/.test(etag);
      if (isDigest && digest !== etag) throw damaged(url, `its SHA-256 is ${digest}, not ${etag}`);
      renameSync(partial, blob);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(`${path}.sha256`, `${digest}  ${file.split("/").at(-1)}\n`);
    } finally {
      rmSync(partial, { force: true });
    }
  }
  linkTo(blob, path);
  const ref = join(folder, "refs", ...wanted.revision.split("/"));
  mkdirSync(dirname(ref), { recursive: true });
  if (wanted.revision !== commit) writeFileSync(ref, commit);
  return path;
}

/** Gives a blob its name in the snapshot: a link, or a copy where links are not allowed. */
function linkTo(blob: string, path: string): void {
  const partial = `${path}.${process.pid}.incomplete`;
  mkdirSync(dirname(path), { recursive: true });
  rmSync(partial, { force: true });
  try {
    symlinkSync(relative(dirname(path), blob), partial);
  } catch {
    copyFileSync(blob, partial);
  }
  // In one step: other workers may be here for the same file.
  renameSync(partial, path);
}

/** The one ONNX file of a repository; a repository with none or several needs words. */
async function findOnnxFile(wanted: HubFile, settings: HubSettings): Promise<string> {
  const url = `${settings.endpoint}/api/models/${wanted.repo}/revision/${encodeURIComponent(wanted.revision)}`;
  const answer = await ask(url, wanted, settings, {});
  const { siblings = [] } = (await answer.json()) as { siblings?: { rfilename?: unknown }[] };
  const names = siblings.map(({ rfilename }) => String(rfilename)).filter((name) => name.endsWith(".onnx"));
  if (names.length === 1) return names[0]!;
  if (names.length > 1)
    throw new MillraceError("BAD_MODEL", `${wanted.repo} has several ONNX files: ${names.join(", ")}.`, {
      hint: "Name one of them in xvector.model_file.",
    });
  throw new MillraceError("BAD_MODEL", `${wanted.repo} has no ONNX file; its weights are for PyTorch.`, {
    hint: "Export the model once (docs/xvectors.md shows how) and give the path of the file in xvector.pretrained_model.",
  });
}

async function ask(url: string, file: HubFile, settings: HubSettings, init: RequestInit): Promise<Response> {
  const { token } = settings;
  let answer: Response;
  try {
    // The token stays with the hub: it is not sent along to where the hub redirects.
    answer = await fetch(url, { ...init, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  } catch (cause) {
    throw explainHubFailure({ file, settings, why: reasonOf(cause), cause });
  }
  if (answer.ok || (init.redirect === "manual" && answer.status >= 300 && answer.status < 400)) return answer;
  const code = answer.headers.get("x-error-code");
  throw explainHubFailure({
    file,
    settings,
    why: `${url} answered ${answer.status}${code === null ? "" : ` ${code}`}`,
  });
}

function metadataOf({ headers }: Response, url: string): FileMetadata {
  const commit = headers.get("x-repo-commit");
  const etag = (headers.get("x-linked-etag") ?? headers.get("etag"))?.replace(/^W\//, "").replaceAll('"', "");
  // They become names of files.
  const isName = (text: string | null | undefined) => /^[\w-]{7,128}$/.test(text ?? "");
  if (!isName(commit) || !isName(etag)) throw damaged(url, "its answer has no commit and no ETag: is it a hub?");
  const size = headers.get("x-linked-size") ?? headers.get("content-length");
  return { commit: commit!, etag: etag!, size: size === null ? undefined : Number(size) };
}

async function download(
  answer: Response,
  path: string,
  { size, url }: { readonly size: number | undefined; readonly url: string },
): Promise<string> {
  const hash = createHash("sha256");
  let bytes = 0;
  const source = Readable.from(
    (async function* () {
      for await (const chunk of answer.body ?? []) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    })(),
  );
  // Made before anything is awaited: a stream that makes it later may do so after a failure was cleaned up.
  const file = await open(path, "w");
  try {
    await pipeline(source, file.createWriteStream());
  } catch (cause) {
    throw damaged(url, `the connection ended after ${bytes} bytes: ${reasonOf(cause)}`, cause);
  }
  if (size !== undefined && bytes !== size) throw damaged(url, `${bytes} bytes came, ${size} were announced`);
  return hash.digest("hex");
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}

function damaged(url: string, why: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_MODEL", `${url} could not be fetched: ${why}.`, {
    cause,
    hint: "Run again to fetch it anew; nothing of it was kept.",
  });
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
