import { mkdirSync, renameSync, rmSync } from "node:fs";
import { endianness } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../bytes/sha256.ts";
import { errnoOf, MillraceError } from "../../errors/errors.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import type { ByteStore } from "../source/byte-store.ts";
import { cacheFolder } from "../source/cache-folder.ts";
import { isRemote } from "../source/remote-address.ts";
import { type IndexFile, openIndexFile } from "./index-file.ts";
import type { IndexSubject } from "./index-footer.ts";
import { IndexWriter } from "./index-writer.ts";
import { removeUnfinished, unfinishedPath } from "./unfinished-index.ts";

/** What an index is made for. */
export interface IndexRequest {
  readonly store: ByteStore;
  /** By which rules rows are found: part of the name, because one file can be read in several ways. */
  readonly rules: string;
  /** The only folder to keep it in, if the user has named one. */
  readonly indexDir?: string | undefined;
  /** Reads the file and adds its rows. Must call `finish`. */
  readonly build: (writer: IndexWriter, subject: IndexSubject) => void | Promise<void>;
}

/** Opens the index of a file, and builds it first if there is none that fits. */
export async function openIndex(request: IndexRequest): Promise<IndexFile> {
  const subject = await subjectOf(request);
  const places = placesOf(request);
  for (const place of places) {
    const index = openIndexFile(place, subject);
    if (index !== undefined) return index;
  }
  return build(request, subject, places);
}

const endBytes = 4096;

async function subjectOf({ store, rules }: IndexRequest): Promise<IndexSubject> {
  const { size, version } = store;
  const first = await store.read(0, Math.min(size, endBytes));
  const last = await store.read(Math.max(0, size - endBytes), Math.min(size, endBytes));
  const ends = sha256(Buffer.concat([first, last])).slice(0, 32);
  return { rules, size, version, ends, endian: endianness() };
}

/** Where an index may be: beside its file, then in the cache; only there for a file that is not of this machine. */
function placesOf({ store: { name, key }, rules, indexDir }: IndexRequest): [string, ...string[]] {
  const digest = (text: string) => sha256(text).slice(0, 16);
  const cached = `${digest(`${key}\0${rules}`)}.rows`;
  if (indexDir !== undefined) return [join(indexDir, cached)];
  const inCache = join(cacheFolder(), "indexes", cached);
  if (isRemote(name)) return [inCache];
  const way = rules === "lines" ? "" : `.${digest(rules).slice(0, 8)}`;
  return [join(dirname(name), `.${basename(name)}${way}.rows`), inCache];
}

async function build(request: IndexRequest, subject: IndexSubject, places: readonly [string, ...string[]]) {
  const { path, writer } = openFirst(places);
  try {
    // What is left over only takes space.
    ignoreErrors(() => removeUnfinished(path, writer.path));
    try {
      await request.build(writer, subject);
    } catch (error) {
      writer.abandon();
      throw error;
    }
    if (!publish(writer.path, path)) return build(request, subject, places);
  } finally {
    rmSync(writer.path, { force: true });
  }
  const index = openIndexFile(path, subject);
  if (index !== undefined) return index;
  throw new MillraceError("BAD_FILE", `${path} is not the index of ${request.store.name} that was just written.`, {
    hint: "Another program has replaced it: do not change a file while it is opened, then open it again.",
  });
}

/** Gives an index its name; false if another builder has removed the file because it was silent for too long. */
function publish(unfinished: string, path: string): boolean {
  try {
    renameSync(unfinished, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}

// Folders that cannot be written to; anything else, a full disk for example, is the user's to know.
const refusals = ["EACCES", "EROFS", "EPERM", "ENOENT", "ENOTDIR"];

function openFirst(places: readonly [string, ...string[]]): { path: string; writer: IndexWriter } {
  let refusal: unknown;
  for (const path of places) {
    try {
      // Not the folder of the data itself: that one exists.
      if (path === places.at(-1)) mkdirSync(dirname(path), { recursive: true });
      return { path, writer: new IndexWriter(unfinishedPath(path)) };
    } catch (error) {
      refusal = error;
      if (!refusals.includes(errnoOf(error) ?? "")) break;
    }
  }
  const folder = dirname(places.at(-1)!);
  throw new MillraceError("BAD_OPTION", `The index of a dataset cannot be kept in ${folder} (${errnoOf(refusal)}).`, {
    cause: refusal,
    hint: "Name a folder that can be written to: { indexDir }, or the variable MILLRACE_CACHE.",
  });
}
