// Shows the site on this machine; any static file server works too.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

const kinds = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/** Serves a folder on loopback. Returns its address. */
export function serveSite(folder, { port }) {
  const server = createServer((request, response) => {
    const file = fileOf(folder, request.url ?? "/");
    if (file === undefined || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(file === undefined ? 404 : 405, { "content-type": "text/plain" }).end("Not here.\n");
      return;
    }
    const kind = kinds[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": kind, "x-content-type-options": "nosniff", "cache-control": "no-cache" });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}/`));
  });
}

function fileOf(folder, url) {
  try {
    const path = normalize(decodeURIComponent(new URL(url, "http://localhost").pathname));
    const file = join(folder, path.endsWith(sep) ? join(path, "index.html") : path);
    return file.startsWith(join(folder, sep)) && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
