import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { errnoOf, isMillraceError, MillraceError, messageOf } from "../errors/errors.ts";
import { entryUrl, webFolderUrl } from "../runtime/entry-url.ts";
import { type Access, checkToken, makeToken, openAccess } from "./server/access.ts";
import { bracketed, isLoopback } from "./server/allowed-hosts.ts";
import { type ApiContext, handleApi } from "./server/handle-api.ts";
import { Refusal } from "./server/refusal.ts";
import { protect, sendRefusal } from "./server/respond.ts";
import { openRunActions } from "./server/run-actions.ts";
import { openRunList } from "./server/run-list.ts";
import { loadStaticFiles, type StaticFiles } from "./server/static-files.ts";

export interface DashboardOptions {
  /** A run folder, or a folder with runs below it. */
  readonly dir: string;
  /** Default: 127.0.0.1, which only this machine can reach. Any other address needs a token. */
  readonly host?: string | undefined;
  /** Default: 8643, or the next free port. 0: any. */
  readonly port?: number | undefined;
  /** Default: a token is generated if one is needed. */
  readonly token?: string | undefined;
  /** The folder of the pages; default: those of this package. */
  readonly web?: string | undefined;
  /** The command line for retries; default: that of this package. */
  readonly program?: string | undefined;
}

export interface Dashboard {
  /** The address to open, with the token if one is needed. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const defaultPort = 8643;
const portsTried = 20;
const limits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 5000,
} as const;
const maxConnections = 500;

interface Handling extends ApiContext {
  readonly access: () => Access;
  readonly files: StaticFiles;
}

/**
 * Serves the dashboard of a run, or of all runs below a folder. Runs are only read, except for actions that a page
 * requests.
 */
export async function openDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { dir, host = "127.0.0.1", port, web, program } = options;
  const token = options.token === undefined ? undefined : checkToken(options.token);
  const needed = token ?? (isLoopback(host) ? undefined : makeToken());
  const runs = openRunList(dir);
  const streams = new Set<ServerResponse>();
  let access: Access | undefined;
  const handling: Handling = {
    runs,
    streams,
    actions: openRunActions(program ?? fileURLToPath(entryUrl("cli/millrace.js"))),
    files: loadStaticFiles(web ?? fileURLToPath(webFolderUrl())),
    access: () => access!,
  };
  const server = createServer(limits, (request, response) => void handle(request, response, handling));
  server.maxConnections = maxConnections;
  const bound = await listen(server, host, port);
  access = openAccess({ host, port: bound, token: needed });
  const query = needed === undefined ? "" : `?token=${needed}`;
  return {
    url: `http://${bracketed(shownHost(host))}:${bound}/${query}`,
    port: bound,
    close() {
      runs.close();
      for (const stream of streams) stream.end();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, handling: Handling): Promise<void> {
  protect(request, response);
  response.on("error", () => {});
  try {
    const [path = "", search = ""] = splitOnce(request.url ?? "");
    const query = new URLSearchParams(search);
    const token = query.get("token");
    const access = handling.access();
    if (token !== null && path === "/" && request.method === "GET") request.headers.authorization = `Bearer ${token}`;
    access.check(request);
    if (token !== null && path === "/") return letIn(response, access.cookieFor(token));
    if (path.startsWith("/api/")) {
      const words = path.slice("/api/".length).split("/").map(decoded);
      await handleApi(request, response, { words, query }, handling);
      return;
    }
    if (request.method === "POST") throw new Refusal(404, "There is nothing here.");
    if (handling.files.send(path, request, response)) return;
    throw new Refusal(
      404,
      handling.files.isEmpty ? "The pages were not built; /api/runs works." : "There is nothing here.",
    );
  } catch (error) {
    refuse(request, response, error);
  }
}

/** Removes the token from the address, where others may see it. */
function letIn(response: ServerResponse, cookie: string | undefined): void {
  if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
  response.writeHead(303, { Location: "/", "Cache-Control": "no-store" }).end();
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The unread rest of the request would be in the way of the next one.
  if (!request.complete) response.setHeader("Connection", "close");
  if (error instanceof Refusal) {
    if (error.status === 405) response.setHeader("Allow", "GET, HEAD, POST");
    if (error.status === 401) response.setHeader("WWW-Authenticate", "Bearer");
    sendRefusal(request, response, error.message, error.status);
  } else if (isMillraceError(error)) {
    sendRefusal(request, response, error.message, 500);
  } else if (errnoOf(error) !== undefined) {
    sendRefusal(request, response, `The run folder cannot be read (${errnoOf(error)}).`, 500);
  } else {
    process.stderr.write(`millrace: the dashboard failed at ${request.method} ${request.url}: ${messageOf(error)}\n`);
    sendRefusal(request, response, "The dashboard failed at this; its own output says why.", 500);
  }
}

function splitOnce(url: string): [path: string, search: string] {
  if (!url.startsWith("/")) throw new Refusal(400, "The address cannot be read.");
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    throw new Refusal(400, "The address cannot be read.");
  }
}

async function listen(server: Server, host: string, port: number | undefined): Promise<number> {
  const last = port ?? defaultPort + portsTried;
  for (let candidate = port ?? defaultPort; ; candidate++) {
    try {
      return await listenAt(server, host, candidate);
    } catch (error) {
      if (errnoOf(error) !== "EADDRINUSE" || candidate >= last) throw cannotListen(error, host, candidate);
    }
  }
}

function listenAt(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

function cannotListen(cause: unknown, host: string, port: number): MillraceError {
  return new MillraceError("BAD_OPTION", `The dashboard cannot listen at ${host}:${port}: ${messageOf(cause)}.`, {
    cause,
    hint: "Choose another port, or an address of this machine.",
  });
}

function shownHost(host: string): string {
  return host === "0.0.0.0" || host === "::" || host === "" ? hostname() : host;
}
