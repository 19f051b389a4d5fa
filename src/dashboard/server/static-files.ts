import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";

/** The files of the pages, in memory: a URL never becomes a path. */
export interface StaticFiles {
  /** Sends a file; false if there is none at this path. */
  send(path: string, request: IncomingMessage, response: ServerResponse): boolean;
  readonly isEmpty: boolean;
}

interface StaticFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
};
const packed = [".br", ".gz"];

/** Reads the built pages once. */
export function loadStaticFiles(folder: string): StaticFiles {
  const names = new Set(listFiles(folder));
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined || packed.includes(extname(name))) continue;
    const plain = readFileSync(join(folder, name));
    const read = (ending: string) => (names.has(name + ending) ? readFileSync(join(folder, name + ending)) : undefined);
    const etag = createHash("sha256").update(plain).digest("base64url").slice(0, 22);
    const file = { type, etag, plain, br: read(".br"), gzip: read(".gz") };
    files.set(`/${name}`, file);
    if (/(^|\/)index\.html$/.test(name)) files.set(`/${name.slice(0, -"index.html".length)}`, file);
  }
  return {
    isEmpty: files.size === 0,
    send(path, request, response) {
      const file = files.get(path);
      if (file === undefined) return false;
      sendFile(file, request, response);
      return true;
    },
  };
}

function sendFile(file: StaticFile, request: IncomingMessage, response: ServerResponse): void {
  const accepted = acceptedEncodings(request.headers["accept-encoding"]);
  const encoding = file.br !== undefined && accepted.has("br") ? "br" : file.gzip && accepted.has("gzip") ? "gzip" : "";
  const body = (encoding === "br" ? file.br : encoding === "gzip" ? file.gzip : undefined) ?? file.plain;
  const etag = `"${file.etag}${encoding === "" ? "" : `-${encoding}`}"`;
  response.setHeader("ETag", etag);
  response.setHeader("Cache-Control", "no-cache");
  response.setHeader("Vary", "Accept-Encoding");
  const known = request.headers["if-none-match"]?.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (known?.includes(etag)) {
    response.writeHead(304).end();
    return;
  }
  if (encoding !== "") response.setHeader("Content-Encoding", encoding);
  response.writeHead(200, { "Content-Type": file.type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** The encodings that a browser accepts; `br;q=0` means it does not. */
function acceptedEncodings(header: string | undefined): Set<string> {
  return new Set(
    (header ?? "")
      .split(",")
      .map((one) =>
        one
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
      .map(([name]) => name!),
  );
}

/** All files below a folder, relative to it; empty if it does not exist. Links are skipped. */
function listFiles(folder: string, below = ""): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(folder, below), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return listFiles(folder, name);
    return entry.isFile() ? [name] : [];
  });
}
