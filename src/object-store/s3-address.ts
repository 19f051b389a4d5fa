import { MillraceError } from "../errors/errors.ts";

/** A bucket, and a key or the beginning of keys in it. */
export interface S3Address {
  readonly bucket: string;
  /** Without a slash at its beginning; empty for the bucket itself. */
  readonly key: string;
}

const maxKeyBytes = 1024;

/** Takes `s3://bucket/key` apart. */
export function parseS3Address(address: string): S3Address {
  const [, bucket, key = ""] = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,61}[a-z0-9])(?:\/(.*))?$/s.exec(address) ?? [];
  if (bucket === undefined) {
    throw new MillraceError("BAD_OPTION", `${JSON.stringify(address)} is no address of an object store.`, {
      hint: "Write it as s3://bucket/key; a bucket has 3 to 63 lower-case letters, digits, dots and hyphens.",
    });
  }
  if (key !== "") requireKey(bucket, key);
  return { bucket, key };
}

/** Refuses keys that no request can name: a part that is `.` or `..` is resolved by every URL parser on the way. */
export function requireKey(bucket: string, key: string): void {
  const isDotted = key.split("/").some((part) => part === "." || part === "..");
  // A lone surrogate is no UTF-8.
  const isText = !/\p{Cs}/u.test(key) && Buffer.byteLength(key) <= maxKeyBytes;
  if (key !== "" && !isDotted && isText) return;
  throw new MillraceError("BAD_OPTION", `${JSON.stringify(key)} is no key of an object in the bucket ${bucket}.`, {
    hint: `A key has 1 to ${maxKeyBytes} bytes of UTF-8, and none of its parts between slashes is "." or "..".`,
  });
}
