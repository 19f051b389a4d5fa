import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combineCrc32, crc32, crcText } from "../../../src/bytes/crc32.ts";

const bytes = fc.uint8Array({ maxLength: 2000 });
const checksums = fc.nat(0xffff_ffff);
const lengths = fc.nat(2 ** 45);

describe("crc32", () => {
  it("has the check value of CRC-32", () => {
    expect(crc32(Buffer.from("123456789"))).toBe(0xcbf43926);
  });

  it("of text is that of its bytes in UTF-8", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), checksums, (text, before) => {
        expect(crc32(text, before)).toBe(crc32(Buffer.from(text), before));
      }),
    );
  });

  it("continues from an earlier value", () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        expect(crc32(second, crc32(first))).toBe(crc32(Buffer.concat([first, second])));
      }),
    );
  });
});

describe("crc32 of no bytes", () => {
  it("is the earlier value, wherever they lie", () => {
    for (const nothing of [Buffer.alloc(0), new Uint8Array(new ArrayBuffer(0)), Buffer.from("x").subarray(1)]) {
      expect(crc32(nothing, 0x12345678)).toBe(0x12345678);
    }
  });
});

describe("combineCrc32", () => {
  it("gives the checksum of the concatenation", () => {
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const combined = combineCrc32(crc32(first), crc32(second), second.length);
        expect(combined).toBe(crc32(Buffer.concat([first, second])));
      }),
    );
  });

  it("gives the checksum of a concatenation of megabytes", () => {
    const [first, second] = [Buffer.alloc(1_000_003, "ä"), Buffer.alloc(3_145_729, "millrace")];
    const combined = combineCrc32(crc32(first), crc32(second), second.length);
    expect(combined).toBe(crc32(Buffer.concat([first, second])));
  });

  // No test can sum up terabytes; that the order of putting together does not matter holds only if lengths are exact.
  it("gives the same for three pieces of any length, whichever two are put together first", () => {
    fc.assert(
      fc.property(checksums, checksums, checksums, lengths, lengths, (a, b, c, bBytes, cBytes) => {
        const left = combineCrc32(combineCrc32(a, b, bBytes), c, cBytes);
        expect(combineCrc32(a, combineCrc32(b, c, cBytes), bBytes + cBytes)).toBe(left);
      }),
    );
  });
});

describe("crcText", () => {
  it.each([
    [0, "00000000"],
    [0xabc, "00000abc"],
    [0xffff_ffff, "ffffffff"],
  ])("writes %i as eight digits", (value, text) => {
    expect(crcText(value)).toBe(text);
  });
});
