import { randomUUID } from "node:crypto";
import { MillraceError } from "../errors/errors.ts";
import { lookAt } from "./create-object.ts";
import { putIdHeader } from "./object-info.ts";
import { escapeXml, xmlText } from "./read-xml.ts";
import type { RequestSender } from "./request-sender.ts";
import { escapePart } from "./sign-request.ts";

/** An object that is made of parts; it is there once it is completed, or never. */
export interface Multipart {
  /** Parts are counted from 1. All but the last need 5 MiB. */
  put(part: number, body: Uint8Array): Promise<void>;
  /** A part that the store copies itself; `to` is after its last byte. */
  copy(part: number, from: { readonly key: string; readonly from: number; readonly to: number }): Promise<void>;
  complete(): Promise<void>;
  /** Removes the parts. A store keeps them, and charges for them, until that is done. */
  abort(): Promise<void>;
}

/** The smallest size of a part, except for the last. */
export const minPartBytes: number = 5 * 2 ** 20;
/** No object has more parts. */
const maxParts = 10_000;

/** Begins an object of parts. */
export async function beginMultipart(sender: RequestSender, key: string, signal?: AbortSignal): Promise<Multipart> {
  const putId = randomUUID();
  const begun = await sender.ask({
    method: "POST",
    key,
    query: [["uploads", ""]],
    headers: { [putIdHeader]: putId },
    isWhole: (text) => (xmlText(text, "UploadId") ?? "") !== "",
    signal,
  });
  const upload: [string, string] = ["uploadId", xmlText(begun.text, "UploadId")!];
  const etags: string[] = [];
  const keep = (part: number, etag: string | undefined) => {
    if (etag === undefined || etag === "") throw noEtag(sender.bucket, key, part);
    etags[part - 1] = etag;
  };
  const partOf = (part: number): [string, string][] => [["partNumber", String(part)], upload];
  return {
    async put(part, body) {
      if (part > maxParts) throw tooManyParts(sender.bucket, key);
      const { headers } = await sender.ask({ method: "PUT", key, query: partOf(part), body, signal });
      keep(part, headers.get("etag") ?? undefined);
    },
    async copy(part, source) {
      if (part > maxParts) throw tooManyParts(sender.bucket, key);
      const headers = {
        "x-amz-copy-source": copySource(sender.bucket, source.key),
        "x-amz-copy-source-range": `bytes=${source.from}-${source.to - 1}`,
      };
      const isWhole = (text: string) => xmlText(text, "ETag") !== undefined;
      const { text } = await sender.ask({ method: "PUT", key, query: partOf(part), headers, isWhole, signal });
      keep(part, xmlText(text, "ETag"));
    },
    async complete() {
      const list = etags.map(
        (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
      // A store may answer 200 at once and an error in the body.
      const isWhole = (text: string) => text.includes("CompleteMultipartUploadResult");
      const done = await sender.ask({ method: "POST", key, query: [upload], body, isWhole, expects: [404], signal });
      if (done.status !== 404) return;
      // An earlier try, whose answer was lost, has completed it: then the object has our mark.
      if ((await lookAt(sender, key, signal))?.putId !== putId) throw gone(sender.bucket, key);
    },
    async abort() {
      await sender.ask({ method: "DELETE", key, query: [upload], expects: [404] });
    },
  };
}

/** The header that names the source of a copy. */
export function copySource(bucket: string, key: string): string {
  return `/${bucket}/${key.split("/").map(escapePart).join("/")}`;
}

function noEtag(bucket: string, key: string, part: number): MillraceError {
  return new MillraceError("STORE_IO", `The object store gave no ETag for part ${part} of s3://${bucket}/${key}.`, {
    hint: "An object cannot be completed without it; a proxy may remove the header.",
  });
}

function tooManyParts(bucket: string, key: string): MillraceError {
  return new MillraceError("STORE_IO", `s3://${bucket}/${key} would have more than ${maxParts} parts.`, {
    hint: "Use more shards, so that each file is smaller.",
  });
}

function gone(bucket: string, key: string): MillraceError {
  return new MillraceError("STORE_IO", `The parts of s3://${bucket}/${key} were removed before it was complete.`, {
    hint: "A rule of the bucket may remove incomplete uploads too early; write it again.",
  });
}
