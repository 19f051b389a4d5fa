import { unexpectedAnswer } from "./hub-errors.ts";

/** The hub's metadata of a file before it is fetched. */
export interface FileMetadata {
  readonly commit: string;
  /** The SHA-256 of a large file, the git blob id of a small one; a mirror may have something else. */
  readonly etag: string;
  readonly size: number | undefined;
}

// The size limit of Protocol Buffers, the format of ONNX.
export const maxModelBytes: number = 2 ** 31;

/** Reads the headers of a file. Commit and ETag become file names, so their characters are checked. */
export function fileMetadata({ headers, ok }: Response, repo: string): FileMetadata {
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
