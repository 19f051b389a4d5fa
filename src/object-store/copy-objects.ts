import { MillraceError } from "../errors/errors.ts";
import { lookAt } from "./create-object.ts";
import { beginMultipart, copySource, minPartBytes } from "./multipart.ts";
import { readObject } from "./read-object.ts";
import { xmlText } from "./read-xml.ts";
import type { RequestSender } from "./request-sender.ts";

/** A part of an object; `to` is after its last byte. */
export interface ObjectPart {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

export interface JoinOptions {
  /** The largest part that is copied with one request. Default: 512 MiB; stores allow 5 GiB. */
  readonly copyBytes?: number | undefined;
  /** How many parts are copied at the same time. Default: 8. */
  readonly openParts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Copies an object of up to 5 GiB within the bucket; its bytes stay with the store. */
export async function copyObject(sender: RequestSender, from: string, to: string, signal?: AbortSignal): Promise<void> {
  // A store may answer 200 at once and an error in the body.
  const isWhole = (text: string) => xmlText(text, "ETag") !== undefined;
  const headers = { "x-amz-copy-source": copySource(sender.bucket, from) };
  await sender.ask({ method: "PUT", key: to, headers, isWhole, signal });
}

/**
 * Makes one object of parts of others, in their order. The store copies what is large enough; what is smaller than a part
 * may be is fetched and sent, joined with what follows.
 */
export async function joinObjects(
  sender: RequestSender,
  to: string,
  sources: readonly ObjectPart[],
  { copyBytes = 512 * 2 ** 20, openParts = 8, signal }: JoinOptions = {},
): Promise<void> {
  const pieces = planJoin(sources, { minBytes: minPartBytes, maxBytes: copyBytes });
  const sizeBytes = sources.reduce((sum, part) => sum + part.to - part.from, 0);
  if (pieces.length === 1 && pieces[0]!.kind === "fetch") {
    await sender.ask({ method: "PUT", key: to, body: await fetchParts(sender, pieces[0]!.parts, signal), signal });
    return;
  }
  const multipart = await beginMultipart(sender, to, signal);
  try {
    const left = [...pieces.entries()];
    const takeOne = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [i, piece] = next;
        if (piece.kind === "copy") await multipart.copy(i + 1, piece.part);
        else await multipart.put(i + 1, await fetchParts(sender, piece.parts, signal));
      }
    };
    await Promise.all(Array.from({ length: openParts }, takeOne));
    await multipart.complete();
  } catch (error) {
    // What is left behind costs money, but the reason is what counts.
    await multipart.abort().catch(() => {});
    throw error;
  }
  const made = await lookAt(sender, to, signal);
  if (made?.sizeBytes !== sizeBytes) throw otherSize(sender.bucket, to, made?.sizeBytes, sizeBytes);
}

/** A part of the object to be made: copied by the store, or fetched and sent. */
export type JoinPiece =
  | { readonly kind: "copy"; readonly part: ObjectPart }
  | { readonly kind: "fetch"; readonly parts: readonly ObjectPart[] };

/** Cuts sources into parts that a store accepts: none but the last is smaller than `minBytes`. */
export function planJoin(
  sources: readonly ObjectPart[],
  { minBytes, maxBytes }: { readonly minBytes: number; readonly maxBytes: number },
): JoinPiece[] {
  const pieces: JoinPiece[] = [];
  let small: ObjectPart[] = [];
  let smallBytes = 0;
  const flush = () => {
    if (small.length > 0) pieces.push({ kind: "fetch", parts: small });
    small = [];
    smallBytes = 0;
  };
  for (const { key, from, to } of sources) {
    let at = from;
    while (at < to) {
      if (smallBytes === 0 && to - at >= minBytes) {
        // What is left behind a part is at least as large as a part may be, or nothing.
        const isRest = to - at - maxBytes < minBytes;
        const end = isRest && to - at <= maxBytes ? to : at + (isRest ? to - at - minBytes : maxBytes);
        pieces.push({ kind: "copy", part: { key, from: at, to: end } });
        at = end;
        continue;
      }
      const end = Math.min(to, at + minBytes - smallBytes);
      small.push({ key, from: at, to: end });
      smallBytes += end - at;
      at = end;
      if (smallBytes >= minBytes) flush();
    }
  }
  flush();
  return pieces.length === 0 ? [{ kind: "fetch", parts: [] }] : pieces;
}

async function fetchParts(
  sender: RequestSender,
  parts: readonly ObjectPart[],
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const read = parts.map(async ({ key, from, to }) => {
    const found = await readObject(sender, key, { from, to, signal });
    if (found?.bytes.length === to - from) return found.bytes;
    throw new MillraceError("STORE_IO", `Bytes ${from} to ${to} of s3://${sender.bucket}/${key} are not there.`, {
      hint: "Another program has removed or changed it.",
    });
  });
  return Buffer.concat(await Promise.all(read));
}

function otherSize(bucket: string, key: string, found: number | undefined, wanted: number): MillraceError {
  return new MillraceError(
    "STORE_IO",
    `s3://${bucket}/${key} has ${found ?? "no"} bytes after it was joined, not ${wanted}.`,
    {
      hint: "The store does not copy parts correctly: choose another one.",
    },
  );
}
