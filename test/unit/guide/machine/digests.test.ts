import { createHash } from "node:crypto";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32, sha256 } from "../../../../web/guide/machine/digests.ts";

describe("digests of the guide's machine", () => {
  it("are the CRC-32 of zlib, also continued", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (first, second) => {
        const before = zlibCrc32(first);
        expect([crc32(first), crc32(second, before)]).toEqual([before, zlibCrc32(second, before)]);
      }),
    );
  });

  it("are the SHA-256 of OpenSSL", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(sha256(bytes)).toBe(createHash("sha256").update(bytes).digest("hex"));
      }),
    );
  });
});
