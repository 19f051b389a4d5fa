import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { MillraceError } from "../../errors/errors.ts";
import { allowedHosts } from "./allowed-hosts.ts";
import { Refusal } from "./refusal.ts";

/** Access control of the server. */
export interface Access {
  /** Throws a refusal unless the request is allowed. */
  check(request: IncomingMessage): void;
  /** The cookie for a request with the right token in the URL; undefined for a wrong one. */
  cookieFor(token: string): string | undefined;
}

/** A header that pages of other sites cannot send without a preflight request. */
const pageHeader = "x-millrace";

const methods = ["GET", "HEAD", "POST"];
const minTokenLength = 16;

/** A token that cannot be guessed. */
export function makeToken(): string {
  return randomBytes(24).toString("base64url");
}

/** Checks a token that the user chose. */
export function checkToken(token: string): string {
  if (/^[\w.~-]{16,200}$/.test(token)) return token;
  throw new MillraceError("BAD_OPTION", "The token of the dashboard cannot be used.", {
    hint: `Choose at least ${minTokenLength} letters, digits, or any of . _ ~ -, or leave it out: one is made then.`,
  });
}

export function openAccess({
  host,
  port,
  token,
}: {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}): Access {
  const hosts = allowedHosts(host, port);
  // Cookies of one host are sent to all its ports.
  const cookieName = `millrace-${port}`;
  const wanted = token === undefined ? undefined : digest(token);

  return {
    check(request) {
      const { method = "", headers } = request;
      if (!methods.includes(method)) throw new Refusal(405, "Only GET, HEAD and POST are supported.");
      const asked = headers.host?.toLowerCase() ?? "";
      if (!hosts.has(asked)) throw new Refusal(421, "This server does not have that name. Use the address it printed.");
      if (!isKnown(request)) throw new Refusal(401, "Open the address with the token that the dashboard printed.");
      if (isFromElsewhere(request)) throw new Refusal(403, "Another site may not ask this.");
      if (method === "POST") checkWrite(request, asked);
    },
    // Lax: a link in a mail or chat is followed from another site, and with Strict the request right after the token
    // was accepted would be refused. Requests that change anything do not carry the cookie from other sites, and are
    // checked separately.
    cookieFor: (given) =>
      isToken(given) ? `${cookieName}=${given}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000` : undefined,
  };

  function isKnown({ headers }: IncomingMessage): boolean {
    if (wanted === undefined) return true;
    const bearer = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (bearer !== undefined) return isToken(bearer);
    const cookies = (headers.cookie ?? "").split(";").map((one) => one.trim());
    return cookies.some((one) => one.startsWith(`${cookieName}=`) && isToken(one.slice(cookieName.length + 1)));
  }

  function isToken(given: string): boolean {
    return wanted !== undefined && timingSafeEqual(digest(given), wanted);
  }
}

/** True if a page of another site requests data. Following a link to the page itself is allowed. */
function isFromElsewhere({ url = "", headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return url.startsWith("/api/") && site !== undefined && site !== "same-origin" && site !== "none";
}

/** Only pages of this server may change anything. */
function checkWrite({ headers }: IncomingMessage, host: string): void {
  const { origin } = headers;
  const isSameOrigin =
    origin === undefined ? headers["sec-fetch-site"] === "same-origin" : origin.toLowerCase() === `http://${host}`;
  if (!isSameOrigin) throw new Refusal(403, "Another site may not change anything here.");
  if (headers[pageHeader] === undefined) throw new Refusal(403, `The header ${pageHeader} is missing.`);
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new Refusal(415, "The body must be application/json.");
}

// Hashes have equal lengths, so the comparison takes constant time.
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
