import { MillraceError } from "../errors/errors.ts";
import type { ObjectInfo } from "./object-info.ts";
import { xmlElements, xmlText } from "./read-xml.ts";
import type { RequestSender } from "./request-sender.ts";

export interface ListOptions {
  /** Keys with it after the prefix are listed as one: "/" gives what is directly below a folder. */
  readonly delimiter?: string | undefined;
  /** Only keys after this one. */
  readonly after?: string | undefined;
  /** Keys a request: at most, and by default, 1,000. */
  readonly pageKeys?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One answer to a list. */
export interface ListPage {
  readonly objects: readonly ObjectInfo[];
  /** What the delimiter has cut off, with it: `split.3/`. */
  readonly prefixes: readonly string[];
}

/** Lists the objects whose keys begin like this, page by page, in the order of their keys' bytes. */
export async function* listObjects(
  sender: RequestSender,
  prefix: string,
  { delimiter, after, pageKeys = 1000, signal }: ListOptions = {},
): AsyncGenerator<ListPage, void, undefined> {
  let token: string | undefined;
  do {
    const query: [string, string][] = [
      ["list-type", "2"],
      ["encoding-type", "url"],
      ["prefix", prefix],
      ["max-keys", String(pageKeys)],
      ...(delimiter === undefined ? [] : [["delimiter", delimiter] as [string, string]]),
      ...(after === undefined ? [] : [["start-after", after] as [string, string]]),
      ...(token === undefined ? [] : [["continuation-token", token] as [string, string]]),
    ];
    const isWhole = (text: string) => text.includes("</ListBucketResult>");
    const { text, headers } = await sender.ask({ method: "GET", key: "", query, isWhole, signal });
    const nowMs = Date.parse(headers.get("date") ?? "");
    const decode = decoderOf(text);
    yield {
      objects: xmlElements(text, "Contents").map((entry) => ({
        key: decode(xmlText(entry, "Key") ?? ""),
        sizeBytes: Number(xmlText(entry, "Size")),
        etag: xmlText(entry, "ETag") ?? "",
        modifiedMs: Date.parse(xmlText(entry, "LastModified") ?? ""),
        nowMs,
      })),
      prefixes: xmlElements(text, "CommonPrefixes").map((entry) => decode(xmlText(entry, "Prefix") ?? "")),
    };
    const isMore = xmlText(text, "IsTruncated") === "true";
    const next = isMore ? xmlText(text, "NextContinuationToken") : undefined;
    if (isMore && (next === undefined || next === token)) throw broken(sender.bucket, prefix);
    token = next;
  } while (token !== undefined);
}

/** Keys may hold what XML cannot, so they are asked for in an escaped form; a store that cannot do that does not say so. */
function decoderOf(text: string): (key: string) => string {
  if (xmlText(text, "EncodingType") !== "url") return (key) => key;
  return (key) => decodeURIComponent(key.replaceAll("+", "%20"));
}

function broken(bucket: string, prefix: string): MillraceError {
  return new MillraceError(
    "STORE_IO",
    `The object store does not say how its list of s3://${bucket}/${prefix} continues.`,
    {
      hint: "Lists with pages (ListObjectsV2) are broken there, or in a proxy in between: choose another store.",
    },
  );
}
