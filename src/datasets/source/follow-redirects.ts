import { type RemoteAnswer, unreadable } from "./request.ts";

const maxRedirects = 10;

/** An address, and the headers that its host alone gets. */
export interface WebAddress {
  readonly name: string;
  readonly url: string;
  readonly secretHeaders: Readonly<Record<string, string>>;
}

/** Asks for a file. Redirects are followed here: `fetch` would also send credentials to other hosts, and follow from https to http. */
export async function followRedirects(
  { name, url: first, secretHeaders }: WebAddress,
  headers: Readonly<Record<string, string>>,
): Promise<RemoteAnswer> {
  let url = new URL(first);
  const { origin } = url;
  for (let i = 0; i <= maxRedirects; i++) {
    const own = url.origin === origin ? secretHeaders : {};
    const sent = { "accept-encoding": "identity", ...headers, ...own };
    const answer = await fetch(url, { redirect: "manual", headers: sent });
    if (answer.status < 300 || answer.status > 399) return answer;
    await answer.body?.cancel();
    url = redirectTarget(name, url, answer);
  }
  throw unreadable(name, `it is redirected more than ${maxRedirects} times`);
}

/** Where an answer redirects to. From https to http, or to another protocol, nothing is followed. */
export function redirectTarget(name: string, from: URL, answer: RemoteAnswer): URL {
  const to = new URL(answer.headers.get("location") ?? "", from);
  if (to.protocol === "https:" || (to.protocol === "http:" && from.protocol === "http:")) return to;
  throw unreadable(name, `it is redirected to an address of ${to.protocol}`);
}
