import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const built = fileURLToPath(new URL("../../../dist/web/guide/", import.meta.url));
const kinds: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Serves the guide as a plain file server does, below a folder as a site of documents has it; returns the address. */
export async function serveGuide(): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const name = /^\/docs\/guide\/([\w.-]*)$/.exec(url)?.[1];
    const file = name === "" ? "index.html" : name;
    if (file === undefined || kinds[extname(file)] === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": kinds[extname(file)] }).end(readFileSync(join(built, file)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/guide/`;
}
