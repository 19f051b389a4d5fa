import { copyObject, type JoinOptions, joinObjects, type ObjectPart } from "./copy-objects.ts";
import { type Creation, createObject, lookAt } from "./create-object.ts";
import { type ListOptions, type ListPage, listObjects } from "./list-objects.ts";
import type { ObjectInfo } from "./object-info.ts";
import { type OpenedObject, openObject, type ReadOptions, readObject } from "./read-object.ts";
import type { RequestCounts } from "./request-counts.ts";
import { openRequestSender, type SenderOptions } from "./request-sender.ts";
import { type Upload, type UploadOptions, uploadObject } from "./upload-object.ts";

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A bucket of an S3-compatible store. Every operation is tried again where what went wrong may pass by itself. */
export interface ObjectStore {
  readonly bucket: string;
  readonly counts: Readonly<RequestCounts>;
  /** Size, ETag and times of an object; undefined if it is not there. */
  head(key: string, options?: CallOptions): Promise<ObjectInfo | undefined>;
  /** An object, or a part of it, in memory; undefined if it is not there. */
  read(
    key: string,
    options?: ReadOptions & { readonly maxBytes?: number },
  ): Promise<{ readonly info: ObjectInfo; readonly bytes: Buffer } | undefined>;
  /** An object, or a part of it, as its bytes come. */
  open(key: string, options?: ReadOptions): Promise<OpenedObject | undefined>;
  /** Writes an object, whatever is there. */
  put(key: string, body: Uint8Array | string, options?: CallOptions): Promise<void>;
  /** Writes an object if none is there. Of several that try, one succeeds. */
  create(
    key: string,
    body: Uint8Array | string,
    options?: CallOptions & { readonly putId?: string },
  ): Promise<Creation>;
  /** Removes an object; one that is not there is no error. */
  remove(key: string, options?: CallOptions): Promise<void>;
  list(prefix: string, options?: ListOptions): AsyncGenerator<ListPage, void, undefined>;
  /** Writes an object of any size as its bytes come. */
  upload(key: string, options?: UploadOptions): Upload;
  /** Copies an object within the bucket, by the store itself. */
  copy(from: string, to: string, options?: CallOptions): Promise<void>;
  /** Makes one object of parts of others; the store copies what is large enough. */
  join(to: string, sources: readonly ObjectPart[], options?: JoinOptions): Promise<void>;
}

/** Opens a bucket. Address and credentials come from the environment and the profile, as with the tools of AWS. */
export function openObjectStore(bucket: string, options: SenderOptions = {}): ObjectStore {
  const sender = openRequestSender(bucket, options);
  return {
    bucket,
    counts: sender.counts,
    head: (key, { signal } = {}) => lookAt(sender, key, signal),
    read: (key, given) => readObject(sender, key, given),
    open: (key, given) => openObject(sender, key, given),
    async put(key, body, { signal } = {}) {
      await sender.ask({ method: "PUT", key, body: bytesOf(body), signal });
    },
    create: (key, body, given) => createObject(sender, key, bytesOf(body), given),
    async remove(key, { signal } = {}) {
      await sender.ask({ method: "DELETE", key, expects: [404], signal });
    },
    list: (prefix, given) => listObjects(sender, prefix, given),
    upload: (key, given) => uploadObject(sender, key, given),
    copy: (from, to, { signal } = {}) => copyObject(sender, from, to, signal),
    join: (to, sources, given) => joinObjects(sender, to, sources, given),
  };
}

function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === "string" ? Buffer.from(body) : body;
}
