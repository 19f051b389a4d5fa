import { createHash, createHmac } from "node:crypto";

/** What requests are signed with. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A request, as far as the signature covers it. */
export interface SignedParts {
  readonly method: string;
  /** Without its query. */
  readonly url: URL;
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** In lower case. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

const emptyDigest = createHash("sha256").update("").digest("hex");

/** The headers of a request, signed with AWS Signature Version 4. */
export function signRequest(
  { method, url, query = [], headers: given, body }: SignedParts,
  { credentials, region, now = new Date() }: { credentials: S3Credentials; region: string; now?: Date },
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const digest = body === undefined ? emptyDigest : createHash("sha256").update(body).digest("hex");
  const headers: Record<string, string> = {
    ...given,
    host: url.host,
    "x-amz-content-sha256": digest,
    "x-amz-date": time,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(";");
  const canonical = [
    method,
    url.pathname,
    encodeQuery(query),
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    "",
    signed,
    digest,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const signature = createHmac("sha256", signingKey(credentials, day, region))
    .update(text)
    .digest("hex");
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

function signingKey({ secretAccessKey }: S3Credentials, day: string, region: string): Buffer {
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  return hmac(hmac(hmac(hmac(`AWS4${secretAccessKey}`, day), region), "s3"), "aws4_request");
}

/** A query in the order in which it is signed. */
export function encodeQuery(query: readonly (readonly [string, string])[]): string {
  const pairs = query.map(([name, value]) => [escapePart(name), escapePart(value)] as const);
  pairs.sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1));
  return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

/** As S3 escapes: every byte but letters, digits and `-._~`. */
export function escapePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
