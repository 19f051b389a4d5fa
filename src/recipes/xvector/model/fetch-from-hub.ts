import { copyFileSync, lstatSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { HubSettings } from "../../../hub/hub-settings.ts";
import { MillraceError } from "../../../index.ts";
import { incompleteName, makeCacheFolder, replaceCacheFile } from "./cache-folder.ts";
import { digestFile, gitBlobId } from "./digest-file.ts";
import { type HubFile, repoFolder } from "./hub.ts";
import { damagedDownload, reasonOf, unexpectedAnswer } from "./hub-errors.ts";
import { type HubRequest, requestHub } from "./request-hub.ts";

export interface FetchOptions {
  readonly settings: HubSettings;
  /** The SHA-256 that the config requires. */
  readonly sha256: string | undefined;
}

/** A file in the cache, and the commit that it is of. */
export interface FetchedFile {
  readonly path: string;
  readonly commit: string;
}

/**
 * Fetches a file into the cache, in the layout that all tools of the hub share, and stores its SHA-256 beside it. An
 * incomplete file, or one that differs from what the hub announced, is not kept. An existing blob is verified before it
 * is used.
 */
export async function fetchFromHub(
  wanted: HubFile & { readonly file: string },
  { settings, sha256 }: FetchOptions,
): Promise<FetchedFile> {
  const { file } = wanted;
  const path = file.split("/").map(encodeURIComponent).join("/");
  const url = `${settings.endpoint}/${wanted.repo}/resolve/${encodeURIComponent(wanted.revision)}/${path}`;
  const question = { url, file: wanted, settings };
  const metadata = fileMetadata(await requestHub({ ...question, method: "HEAD" }), wanted.repo);
  const { commit, etag } = metadata;
  const folder = repoFolder(settings, wanted.repo);
  const blob = join(folder, "blobs", etag);
  const snapshot = join(folder, "snapshots", commit, ...file.split("/"));
  const ref = join(folder, "refs", ...wanted.revision.split("/"));
  for (const place of [blob, snapshot, ref]) makeCacheFolder(settings.cache, dirname(place));
  const expected = expectedDigest(etag, { url, sha256 });
  if (!isRegularFile(blob) || (await differenceOf(blob, expected)) !== undefined)
    await fetchBlob(blob, { ...question, method: "GET" }, { ...metadata, expected });
  replaceCacheFile(`${snapshot}.sha256`, `${await digestFile(blob)}  ${basename(file)}\n`);
  linkTo(blob, snapshot);
  if (wanted.revision !== commit) replaceCacheFile(ref, commit);
  return { path: snapshot, commit };
}

interface ExpectedDigest {
  readonly kind: "SHA-256" | "git blob id";
  readonly digest: string;
}

/** The expected digest: from the hub's ETag, or from the config if a mirror has other ETags. */
function expectedDigest(etag: string, { url, sha256 }: { url: string; sha256: string | undefined }): ExpectedDigest {
  if (/^[0-9a-f]{64}$/.test(etag)) return { kind: "SHA-256", digest: etag };
  if (/^[0-9a-f]{40}$/.test(etag)) return { kind: "git blob id", digest: etag };
  if (sha256 !== undefined) return { kind: "SHA-256", digest: sha256.toLowerCase() };
  throw new MillraceError("BAD_MODEL", `${url} has the ETag ${etag}, which is no digest: the file cannot be checked.`, {
    hint: "Give the SHA-256 of the file in xvector.sha256.",
  });
}

/** Describes how a file differs from the expected digest; undefined if it does not. */
async function differenceOf(path: string, { kind, digest }: ExpectedDigest): Promise<string | undefined> {
  const found = kind === "SHA-256" ? await digestFile(path) : await gitBlobId(path);
  return found === digest ? undefined : `its ${kind} is ${found}, not ${digest}`;
}

async function fetchBlob(
  blob: string,
  question: HubRequest,
  { size, expected }: FileMetadata & { readonly expected: ExpectedDigest },
): Promise<void> {
  const { url } = question;
  const partial = incompleteName(blob);
  try {
    await download(await requestHub(question), partial, { size, url });
    const difference = await differenceOf(partial, expected);
    if (difference !== undefined) throw damagedDownload(url, difference);
    renameSync(partial, blob);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Writes a body to a file, up to its announced size. */
async function download(
  answer: Response,
  path: string,
  { size, url }: { readonly size: number | undefined; readonly url: string },
): Promise<void> {
  const limit = size ?? maxModelBytes;
  let bytes = 0;
  const source = Readable.from(
    (async function* () {
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length;
        if (bytes > limit) return;
        yield chunk;
      }
    })(),
  );
  // Created before any await: a stream that creates it later may do so after a failure was cleaned up.
  const file = await open(path, "wx");
  try {
    await pipeline(source, file.createWriteStream());
  } catch (cause) {
    throw damagedDownload(url, `the connection ended after ${bytes} bytes: ${reasonOf(cause)}`, cause);
  }
  if (bytes > limit) throw damagedDownload(url, `more than the ${limit} bytes came that were expected`);
  if (size !== undefined && bytes !== size) throw damagedDownload(url, `${bytes} bytes came, ${size} were announced`);
}

/** Gives a blob its name in the snapshot: a link, or a copy if links are not allowed. */
function linkTo(blob: string, path: string): void {
  const partial = incompleteName(path);
  try {
    try {
      symlinkSync(relative(dirname(path), blob), partial);
    } catch {
      copyFileSync(blob, partial);
    }
    // Atomically: other workers may fetch the same file.
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

function isRegularFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The hub's metadata of a file before it is fetched. */
interface FileMetadata {
  readonly commit: string;
  /** The SHA-256 of a large file, the git blob id of a small one; a mirror may have something else. */
  readonly etag: string;
  readonly size: number | undefined;
}

// The size limit of Protocol Buffers, the format of ONNX.
const maxModelBytes: number = 2 ** 31;

/** Reads the headers of a file. Commit and ETag become file names, so their characters are checked. */
function fileMetadata({ headers, ok }: Response, repo: string): FileMetadata {
  const text = (name: string) => headers.get(name) ?? undefined;
  const commit = text("x-repo-commit");
  const etag = (text("x-linked-etag") ?? text("etag"))?.replace(/^W\//, "").replaceAll('"', "");
  if (!isName(commit)) throw unexpectedAnswer(repo, "x-repo-commit", commit, "a commit");
  if (!isName(etag)) throw unexpectedAnswer(repo, "x-linked-etag", etag, "the digest of a file");
  // The length of a redirect is that of its own body.
  const sizeField = text("x-linked-size") === undefined && ok ? "content-length" : "x-linked-size";
  const given = text(sizeField);
  const size = given === undefined ? undefined : Number(given);
  if (given !== undefined && !/^\d{1,15}$/.test(given))
    throw unexpectedAnswer(repo, sizeField, given, "a number of bytes");
  if (size !== undefined && size > maxModelBytes)
    throw unexpectedAnswer(repo, sizeField, size, "at most 2 GiB, which no ONNX file exceeds,");
  return { commit, etag, size };
}

function isName(text: string | undefined): text is string {
  return /^[\w-]{7,128}$/.test(text ?? "");
}
