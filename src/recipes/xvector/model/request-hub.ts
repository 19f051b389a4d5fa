import type { HubSettings } from "../../../hub/hub-settings.ts";
import type { HubFile } from "./hub.ts";
import { explainHubFailure, reasonOf } from "./hub-errors.ts";

export interface HubRequest {
  readonly url: string;
  readonly method: "GET" | "HEAD";
  readonly file: HubFile;
  readonly settings: HubSettings;
}

const maxRedirects = 10;

/**
 * Sends a request to the hub. Redirects are followed here, because `fetch` would also follow from https to http. A
 * redirect in response to a HEAD about a file is the final response: it describes the file.
 */
export async function requestHub(question: HubRequest): Promise<Response> {
  const { url, method } = question;
  let at = url;
  for (let i = 0; i <= maxRedirects; i++) {
    const answer = await requestOnce(at, question);
    const isRedirect = answer.status >= 300 && answer.status < 400;
    if (answer.ok || (isRedirect && method === "HEAD" && answer.headers.has("x-repo-commit"))) return answer;
    await answer.body?.cancel();
    if (!isRedirect) throw refused(question, answer);
    at = nextAddress(at, answer.headers.get("location"), question);
  }
  throw fail(question, `it redirects more than ${maxRedirects} times`);
}

async function requestOnce(address: string, question: HubRequest): Promise<Response> {
  const { method, settings } = question;
  try {
    const isHub = new URL(address).origin === new URL(settings.endpoint).origin;
    // The token is only sent to the hub, not to the targets of its redirects.
    const token = isHub && settings.token !== undefined ? { authorization: `Bearer ${settings.token}` } : {};
    // Not compressed, so that the length of the body is that of the file.
    return await fetch(address, { method, redirect: "manual", headers: { "accept-encoding": "identity", ...token } });
  } catch (cause) {
    throw fail(question, reasonOf(cause), cause);
  }
}

/** The target of a redirect: https, or the hub's own protocol. */
function nextAddress(from: string, location: string | null, question: HubRequest): string {
  let next: URL;
  try {
    next = new URL(location ?? "", from);
  } catch (cause) {
    throw fail(question, "its redirect has no valid address", cause);
  }
  const allowed = ["https:", new URL(question.settings.endpoint).protocol];
  if (allowed.includes(next.protocol)) return next.href;
  throw fail(question, `its redirect leads to an address of ${next.protocol}, and https was expected`);
}

function refused(question: HubRequest, { status, headers }: Response): Error {
  const code = headers.get("x-error-code");
  return fail(question, `${question.url} answered ${status}${code === null ? "" : ` ${code}`}`);
}

function fail({ file, settings }: HubRequest, why: string, cause?: unknown): Error {
  return explainHubFailure({ file, settings, why, cause });
}
