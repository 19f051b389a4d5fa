// A store in memory that speaks the requests of S3 that this library uses. It checks no signatures: real stores do.
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreAddress } from "./store-address.ts";

interface Kept {
  readonly body: Buffer;
  readonly etag: string;
  readonly modifiedMs: number;
  readonly putId: string | undefined;
}

export interface MemoryStoreOptions {
  /** In a race several creators of an object win. */
  readonly letsSeveralCreate?: boolean;
  /** Ignores If-None-Match. */
  readonly ignoresConditions?: boolean;
  /** Shows a list only so long after what was written. */
  readonly listLagMs?: number;
  /** Leaves this header out of every answer. */
  readonly leavesOut?: "date" | "last-modified" | "x-amz-meta-millrace-put";
  /** How far its clock is ahead. */
  readonly clockAheadMs?: number;
}

export interface MemoryStore {
  readonly address: StoreAddress;
  readonly objects: ReadonlyMap<string, Kept>;
  readonly seen: readonly { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
}

interface Call {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

/** Starts a store in memory; every bucket is there. */
export async function startMemoryStore(options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const objects = new Map<string, Kept>();
  const uploads = new Map<string, { readonly putId: string | undefined; readonly parts: Map<number, Buffer> }>();
  const seen: { method: string; url: string; headers: IncomingHttpHeaders }[] = [];
  const nowMs = () => Date.now() + (options.clockAheadMs ?? 0);

  const keep = (name: string, body: Buffer, putId: string | undefined): Reply => {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    objects.set(name, { body, etag, modifiedMs: nowMs(), putId });
    return { status: 200, headers: { etag } };
  };
  const copied = (headers: IncomingHttpHeaders): Buffer => {
    const source = decodeURIComponent(String(headers["x-amz-copy-source"])).replace(/^\//, "");
    const [, from = "0", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(String(headers["x-amz-copy-source-range"])) ?? [];
    return objects.get(source)!.body.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
  };
  const put = async ({ bucket, key, query, headers, body }: Call): Promise<Reply> => {
    const name = `${bucket}/${key}`;
    const putId = headers["x-amz-meta-millrace-put"] as string | undefined;
    const source = headers["x-amz-copy-source"] === undefined ? undefined : copied(headers);
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (query.has("uploadId") && upload === undefined) return failure(404, "NoSuchUpload");
    const made =
      upload === undefined
        ? undefined
        : `"${createHash("md5")
            .update(source ?? body)
            .digest("hex")}"`;
    upload?.parts.set(Number(query.get("partNumber")), source ?? body);
    if (made !== undefined && source === undefined) return { status: 200, headers: { etag: made } };
    if (made !== undefined) return { status: 200, body: `<CopyPartResult><ETag>${made}</ETag></CopyPartResult>` };
    if (source !== undefined) {
      keep(name, source, undefined);
      return { status: 200, body: "<CopyObjectResult><ETag>x</ETag></CopyObjectResult>" };
    }
    if (headers["if-none-match"] === "*" && options.ignoresConditions !== true) {
      const isThere = objects.has(name);
      // What goes wrong in a store that looks first and writes afterwards.
      if (options.letsSeveralCreate === true) await sleep(50);
      if (isThere) return failure(412, "PreconditionFailed");
    }
    return keep(name, body, putId);
  };
  const get = ({ bucket, key, headers }: Call): Reply => {
    const found = objects.get(`${bucket}/${key}`);
    if (found === undefined) return failure(404, "NoSuchKey");
    const own: Record<string, string> = {
      etag: found.etag,
      "last-modified": new Date(found.modifiedMs).toUTCString(),
      ...(found.putId === undefined ? {} : { "x-amz-meta-millrace-put": found.putId }),
    };
    const [, from, to = ""] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
    if (from === undefined) return { status: 200, headers: own, body: found.body };
    if (Number(from) >= found.body.length) return failure(416, "InvalidRange");
    const body = found.body.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${found.body.length}`;
    return { status: 206, headers: { ...own, "content-range": range }, body };
  };
  const post = ({ bucket, key, query, headers, body }: Call): Reply => {
    if (query.has("uploads")) {
      const id = randomUUID();
      uploads.set(id, { putId: headers["x-amz-meta-millrace-put"] as string | undefined, parts: new Map() });
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      };
    }
    const upload = uploads.get(query.get("uploadId") ?? "");
    if (upload === undefined) return failure(404, "NoSuchUpload");
    const count = body.toString().split("<Part>").length - 1;
    const parts = Array.from({ length: count }, (_, i) => upload.parts.get(i + 1)!);
    if (parts.slice(0, -1).some((part) => part.length < 5 * 2 ** 20)) return failure(400, "EntityTooSmall");
    uploads.delete(query.get("uploadId")!);
    keep(`${bucket}/${key}`, Buffer.concat(parts), upload.putId);
    return { status: 200, body: "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>" };
  };
  const list = ({ bucket, query }: Call): Reply => {
    const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter")];
    const token = query.get("continuation-token");
    const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
    const max = Number(query.get("max-keys") ?? 1000);
    const rows: string[] = [];
    const seenPrefixes = new Set<string>();
    let last = "";
    let isTruncated = false;
    for (const name of [...objects.keys()].sort()) {
      const key = name.slice(bucket.length + 1);
      const found = objects.get(name)!;
      if (!name.startsWith(`${bucket}/${prefix}`) || found.modifiedMs > nowMs() - (options.listLagMs ?? -1)) continue;
      const cut = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      const shown = cut < 0 ? key : key.slice(0, cut + delimiter!.length);
      if (shown <= after || seenPrefixes.has(shown)) continue;
      if (rows.length === max) {
        isTruncated = true;
        break;
      }
      last = shown;
      if (cut >= 0) seenPrefixes.add(shown);
      const time = new Date(found.modifiedMs).toISOString();
      rows.push(
        cut >= 0
          ? `<CommonPrefixes><Prefix>${encodeURIComponent(shown)}</Prefix></CommonPrefixes>`
          : `<Contents><Key>${encodeURIComponent(shown)}</Key><LastModified>${time}</LastModified><ETag>${found.etag.replaceAll('"', "&quot;")}</ETag><Size>${found.body.length}</Size></Contents>`,
      );
    }
    const more = isTruncated
      ? `<NextContinuationToken>${Buffer.from(last).toString("base64url")}</NextContinuationToken>`
      : "";
    const body = `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${more}${rows.join("")}</ListBucketResult>`;
    return { status: 200, body };
  };
  const remove = ({ bucket, key, query }: Call): Reply => {
    if (query.has("uploadId")) uploads.delete(query.get("uploadId")!);
    else objects.delete(`${bucket}/${key}`);
    return { status: 204 };
  };
  const answer = (call: Call): Reply | Promise<Reply> => {
    if (call.key === "") return call.method === "GET" ? list(call) : { status: 200 };
    if (call.method === "PUT") return put(call);
    if (call.method === "POST") return post(call);
    return call.method === "DELETE" ? remove(call) : get(call);
  };

  const server = createServer(async (incoming: IncomingMessage, response: ServerResponse) => {
    const { method = "GET", url = "/", headers } = incoming;
    seen.push({ method, url, headers });
    const at = new URL(url, "http://store");
    const [, bucket = "", ...rest] = at.pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    const reply = await answer({ method, bucket, key, query: at.searchParams, headers, body: await buffer(incoming) });
    const body = Buffer.from(reply.body ?? "");
    const all: Record<string, string> = {
      date: new Date(nowMs()).toUTCString(),
      "content-length": String(body.length),
      ...reply.headers,
    };
    if (options.leavesOut !== undefined) delete all[options.leavesOut];
    response.sendDate = false;
    response.writeHead(reply.status, all).end(method === "HEAD" ? "" : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      accessKeyId: "MEMORY",
      secretAccessKey: "secret-of-the-memory",
    },
    objects,
    seen,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function failure(status: number, code: string): Reply {
  return { status, body: `<Error><Code>${code}</Code></Error>` };
}
