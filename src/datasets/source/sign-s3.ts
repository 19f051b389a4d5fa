import { createHash, createHmac } from "node:crypto";

/** What a request to S3 is signed with. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

const emptyBody = createHash("sha256").update("").digest("hex");

/** The headers of a signed request without a body (AWS Signature Version 4). */
export function signS3(
  url: URL,
  extra: Readonly<Record<string, string>>,
  { credentials, region, now = new Date() }: { credentials: S3Credentials; region: string; now?: Date },
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...extra,
    host: url.host,
    "x-amz-content-sha256": emptyBody,
    "x-amz-date": time,
    ...(credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(";");
  const query = [...url.searchParams]
    .map(([key, value]) => `${escapePart(key)}=${escapePart(value)}`)
    .sort()
    .join("&");
  const canonical = [
    "GET",
    url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    "",
    signed,
    emptyBody,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** As S3 escapes: every byte but letters, digits and `-._~`. */
export function escapePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
