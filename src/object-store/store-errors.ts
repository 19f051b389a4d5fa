import { MillraceError, messageOf } from "../errors/errors.ts";
import { xmlText } from "./read-xml.ts";

/** A request that was not answered as it should be. */
export interface FailedRequest {
  readonly bucket: string;
  readonly method: string;
  readonly key: string;
  readonly tries: number;
  readonly isSigned: boolean;
  /** Of the last try: what the server answered, or else the error of the connection. */
  readonly status?: number;
  readonly text?: string;
  readonly region?: string | undefined;
  readonly cause?: unknown;
}

/** The code in an answer's body (`AccessDenied`); empty if there is none. */
export function codeOf(text: string): string {
  return /^[\w.]{1,64}$/.exec(xmlText(text, "Code") ?? "")?.[0] ?? "";
}

/** The error for a request that failed: which object, what the store said, and what to do. */
export function storeError(request: FailedRequest): MillraceError {
  const { bucket, method, key, tries, status, text = "", cause } = request;
  const place = key === "" ? `the bucket ${bucket}` : `s3://${bucket}/${key}`;
  const count = tries > 1 ? ` (tried ${tries} times)` : "";
  const code = codeOf(text);
  const why = status === undefined ? connectionProblem(cause) : `${status}${code === "" ? "" : ` ${code}`}`;
  const message = `The object store failed ${method} of ${place}: ${why}${sentence(text)}${count}.`;
  const details = { hint: adviceFor(request, code), ...(cause === undefined ? {} : { cause }) };
  if (/quota|storagefull|insufficientstorage/i.test(code) || status === 507) {
    return new MillraceError("STORE_FULL", message, details);
  }
  const isRefused = status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
  return new MillraceError(isRefused ? "STORE_REFUSED" : "STORE_IO", message, details);
}

function connectionProblem(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  return `${messageOf(cause)}${inner}`;
}

/** What the store says itself. Nothing else of its answer is shown: for a wrong signature it repeats signed headers. */
function sentence(text: string): string {
  const said = (xmlText(text, "Message") ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim();
  return said === "" ? "" : `, ${said.slice(0, 200).replace(/\.$/, "")}`;
}

function adviceFor({ status, isSigned, region, bucket }: FailedRequest, code: string): string {
  if (code === "NoSuchBucket") return `Make the bucket ${bucket} first, or correct the endpoint and the region.`;
  if (region !== undefined) return `The bucket is in the region ${region}: set AWS_REGION=${region}.`;
  if (status === 301 || status === 307) return "Set AWS_REGION and the endpoint to where the bucket is.";
  if (code === "RequestTimeTooSkewed") return "Set the clock of this host.";
  if (code === "NotImplemented" || status === 501)
    return "This store cannot do it: `millrace doctor s3://BUCKET` says what is missing.";
  if (status === 401 || status === 403) {
    return isSigned
      ? "Check the keys (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_PROFILE) and their rights to this bucket."
      : "No credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.";
  }
  if (status !== undefined && status < 500 && status !== 429)
    return "Check the address, the endpoint and your rights to it.";
  return "Check the endpoint (AWS_ENDPOINT_URL_S3), the network and the store, then try again.";
}
