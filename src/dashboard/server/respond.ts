import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiError } from "../run-view.ts";
import { isLoopback } from "./allowed-hosts.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The headers of every response. */
export function protect({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("X-Frame-Options", "DENY");
  response.setHeader("Referrer-Policy", "no-referrer");
  // On an insecure origin a browser ignores this header and logs a warning.
  if (isLoopback(nameOf(headers.host))) response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
  response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
  response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
  response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

/** Sends a value as JSON that must not be cached. */
export function sendJson(request: IncomingMessage, response: ServerResponse, value: unknown, status = 200): void {
  send(request, response, { type: "application/json", text: JSON.stringify(value), status });
}

/** Sends a refusal: as JSON to pages and programs, as text to a browser that opened the URL. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, why: string, status: number): void {
  if (request.url?.startsWith("/api/")) sendJson(request, response, { error: why } satisfies ApiError, status);
  else send(request, response, { type: "text/plain", text: `${why}\n`, status });
}

interface Answer {
  readonly type: string;
  readonly text: string;
  readonly status: number;
}

function send({ method }: IncomingMessage, response: ServerResponse, { type, text, status }: Answer): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    "Content-Type": `${type}; charset=utf-8`,
    "Cache-Control": "no-store",
    "Content-Length": body.length,
  });
  response.end(method === "HEAD" ? undefined : body);
}

/** A Host without its port and brackets. */
function nameOf(host = ""): string {
  return host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}
