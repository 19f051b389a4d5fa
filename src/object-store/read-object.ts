import { setTimeout as sleep } from "node:timers/promises";
import { MillraceError } from "../errors/errors.ts";
import { type ObjectInfo, objectInfo } from "./object-info.ts";
import type { RequestSender } from "./request-sender.ts";
import { storeError } from "./store-errors.ts";

/** A part of an object: `to` is after its last byte. */
export interface ReadOptions {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An object that is being read. */
export interface OpenedObject {
  readonly info: ObjectInfo;
  /** Its bytes, as they come. A connection that is lost is opened again where it broke off. */
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
}

const maxBreaks = 8;
const idleMs = 30_000;
const pauseMs = 200;

/** Opens an object, or a part of it; undefined if it is not there. What is not read to its end must be returned. */
export async function openObject(
  sender: RequestSender,
  key: string,
  options: ReadOptions = {},
): Promise<OpenedObject | undefined> {
  const { from = 0, to = Number.POSITIVE_INFINITY } = options;
  const first = await request(sender, key, from, { ...options, to });
  if (first === undefined) return undefined;
  const { info } = first;
  const end = Math.min(to, info.sizeBytes);
  return { info, bytes: resume(sender, first, { ...options, from, to: end }) };
}

interface Part {
  readonly info: ObjectInfo;
  readonly body: ReadableStream<Uint8Array> | null;
}

async function request(
  sender: RequestSender,
  key: string,
  from: number,
  { to, signal }: { readonly to: number; readonly signal?: AbortSignal | undefined },
): Promise<Part | undefined> {
  const isPart = from > 0 || to !== Number.POSITIVE_INFINITY;
  const range = `bytes=${from}-${to === Number.POSITIVE_INFINITY ? "" : to - 1}`;
  const headers: Record<string, string> = isPart ? { range } : {};
  // A range of an empty object, or one behind its end.
  const answer = await sender.ask({ method: "GET", key, headers, expects: [404, 416], streams: true, signal });
  if (answer.status === 404) {
    if (/NoSuchBucket/.test(answer.text))
      throw storeError({ bucket: sender.bucket, method: "GET", key, tries: 1, isSigned: true, ...answer });
    return undefined;
  }
  const info = objectInfo(key, answer.headers);
  if (answer.status === 416) return { info: { ...info, sizeBytes: from }, body: null };
  if (!isPart || answer.status === 206) return { info, body: answer.body };
  await answer.body?.cancel();
  throw new MillraceError("STORE_IO", `The object store sent all of s3://${sender.bucket}/${key} for a part of it.`, {
    hint: "A store must serve parts of objects (range requests); a proxy in between may remove the header.",
  });
}

async function* resume(
  sender: RequestSender,
  first: Part,
  { from = 0, to, signal }: ReadOptions & { readonly to: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { key, etag } = first.info;
  let at = from;
  let part: Part | undefined = first;
  for (let breaks = 0; ; breaks++) {
    try {
      for await (const piece of pieces(part.body)) {
        if (at + piece.length > to) throw tooMuch(sender.bucket, key, to - from);
        at += piece.length;
        sender.counts.receivedBytes += piece.length;
        yield piece;
      }
      if (at >= to) return;
    } catch (error) {
      if (error instanceof MillraceError || signal?.aborted === true) throw error;
      if (breaks >= maxBreaks)
        throw storeError({
          bucket: sender.bucket,
          method: "GET",
          key,
          tries: breaks + 1,
          isSigned: true,
          cause: error,
        });
    }
    if (breaks >= maxBreaks) throw cutShort(sender.bucket, key, at, to);
    await sleep(pauseMs * breaks, undefined, { signal });
    part = await request(sender, key, at, { to, signal });
    if (part?.info.etag !== etag) {
      await part?.body?.cancel();
      throw changed(sender.bucket, key);
    }
  }
}

/** The pieces of a body; silence is an error. */
async function* pieces(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  let isOver = false;
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`no bytes came for ${idleMs / 1000} s`)), idleMs);
      });
      const { done, value } = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
      if (done) break;
      yield value;
    }
    isOver = true;
  } finally {
    // Without it the connection stays open. It fails where the connection is lost already.
    if (!isOver) await reader.cancel().catch(() => {});
  }
}

/** Reads an object, or a part of it, into memory; undefined if it is not there. */
export async function readObject(
  sender: RequestSender,
  key: string,
  { maxBytes = 2 ** 30, ...options }: ReadOptions & { readonly maxBytes?: number } = {},
): Promise<{ readonly info: ObjectInfo; readonly bytes: Buffer } | undefined> {
  const opened = await openObject(sender, key, options);
  if (opened === undefined) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const piece of opened.bytes) {
    length += piece.length;
    if (length > maxBytes) {
      throw new MillraceError("BAD_FILE", `s3://${sender.bucket}/${key} has more than ${maxBytes} bytes.`, {
        hint: "It is not the file that was expected here: check the address.",
      });
    }
    parts.push(piece);
  }
  return { info: opened.info, bytes: Buffer.concat(parts) };
}

const again = "Read it again; objects of a run are never changed, so another program has written it.";

function changed(bucket: string, key: string): MillraceError {
  return new MillraceError("STORE_IO", `s3://${bucket}/${key} was changed or removed while it was read.`, {
    hint: again,
  });
}

function tooMuch(bucket: string, key: string, wanted: number): MillraceError {
  return new MillraceError(
    "STORE_IO",
    `The object store sent more than the ${wanted} bytes of s3://${bucket}/${key}.`,
    {
      hint: again,
    },
  );
}

function cutShort(bucket: string, key: string, at: number, to: number): MillraceError {
  return new MillraceError("STORE_IO", `s3://${bucket}/${key} ends at byte ${at} of ${to}, each time it is read.`, {
    hint: "Check the store: the object is damaged, or a proxy cuts answers off.",
  });
}
