import { MillraceError } from "../errors/errors.ts";

/** What a store says of an object. All times are the store's own: clocks of hosts are never compared. */
export interface ObjectInfo {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
  /** When it was written. NaN where the store does not say. */
  readonly modifiedMs: number;
  /** The time of the store when it answered. NaN where it does not say. */
  readonly nowMs: number;
  /** The mark of the request that made it; only in answers for one object. */
  readonly putId?: string | undefined;
}

/** The header of user data that holds the mark of a request. */
export const putIdHeader = "x-amz-meta-millrace-put";

/** What the headers of an answer say. `sizeBytes` is that of the whole object, also where a part was asked for. */
export function objectInfo(key: string, headers: Headers): ObjectInfo {
  const total = /\/(\d{1,16})$/.exec(headers.get("content-range") ?? "")?.[1];
  return {
    key,
    sizeBytes: Number(total ?? headers.get("content-length") ?? Number.NaN),
    etag: headers.get("etag") ?? "",
    modifiedMs: Date.parse(headers.get("last-modified") ?? ""),
    nowMs: Date.parse(headers.get("date") ?? ""),
    putId: headers.get(putIdHeader) ?? undefined,
  };
}

/** How long ago an object was written, by the store's own clock, whose headers count whole seconds. */
export function ageOfObject({ key, modifiedMs, nowMs }: ObjectInfo): number {
  const ageMs = nowMs - modifiedMs;
  if (!Number.isNaN(ageMs)) return Math.max(0, ageMs);
  throw new MillraceError(
    "STORE_IO",
    `The object store does not say how old ${key} is: Date or Last-Modified is missing.`,
    {
      hint: "A proxy may remove headers: `millrace doctor s3://BUCKET` shows what arrives.",
    },
  );
}
