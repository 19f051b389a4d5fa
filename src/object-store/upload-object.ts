import { beginMultipart, type Multipart } from "./multipart.ts";
import type { RequestSender } from "./request-sender.ts";

/** Bytes that become an object when they are all there. */
export interface Upload {
  /** Resolves when there is room for more. The bytes are copied. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the object is there. */
  finish(): Promise<void>;
  /** Leaves nothing behind, as far as the store can be reached. */
  abort(): Promise<void>;
}

export interface UploadOptions {
  /** Default: 16 MiB, of which an object has at most 10,000. All parts but the last have it, as some stores demand. */
  readonly partBytes?: number | undefined;
  /** How many parts are sent at the same time. Default: 4; each is in memory until then. */
  readonly openParts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Begins to write an object of any size, with bounded memory. A small one is one request. */
export function uploadObject(
  sender: RequestSender,
  key: string,
  { partBytes = 16 * 2 ** 20, openParts = 4, signal }: UploadOptions = {},
): Upload {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let parts = 0;
  let multipart: Promise<Multipart> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const sending = new Set<Promise<void>>();

  const take = (): Buffer => {
    const body = Buffer.concat(pending, pendingBytes);
    pending = [];
    pendingBytes = 0;
    return body;
  };
  const send = async (): Promise<void> => {
    const body = take();
    const number = ++parts;
    multipart ??= beginMultipart(sender, key, signal);
    const target = await multipart;
    while (sending.size >= openParts) await Promise.race(sending);
    if (failure !== undefined) throw failure.error;
    const sent: Promise<void> = target
      .put(number, body)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => sending.delete(sent));
    sending.add(sent);
  };
  const abort = async () => {
    await Promise.all(sending);
    const begun = await multipart?.catch(() => undefined);
    await begun?.abort();
  };
  return {
    async write(bytes) {
      if (failure !== undefined) throw failure.error;
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.slice(at, at + partBytes - pendingBytes);
        pending.push(piece);
        pendingBytes += piece.length;
        at += piece.length;
        if (pendingBytes === partBytes) await send();
      }
    },
    async finish() {
      if (multipart === undefined) {
        await sender.ask({ method: "PUT", key, body: take(), signal });
        return;
      }
      try {
        if (pendingBytes > 0) await send();
        await Promise.all(sending);
        if (failure !== undefined) throw failure.error;
        await (await multipart).complete();
      } catch (error) {
        // What is left behind costs money, but the reason is what counts.
        await abort().catch(() => {});
        throw error;
      }
    },
    abort,
  };
}
