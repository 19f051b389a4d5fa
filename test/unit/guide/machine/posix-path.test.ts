import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as own from "../../../../web/guide/machine/posix-path.ts";

const path = fc
  .array(fc.constantFrom("a", "b.c", "..", ".", "", "/"), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join("/"))
  .filter((text) => text !== "");
const plain = fc
  .array(fc.constantFrom("a", "b.c", "d"), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`);

describe("paths of the guide's machine", () => {
  it("are normalised, joined and resolved as Node.js does", () => {
    fc.assert(
      fc.property(path, path, (one, two) => {
        expect(own.normalize(one)).toBe(posix.normalize(one));
        expect(own.join(one, two)).toBe(posix.join(one, two));
        expect(own.resolveIn(() => "/home/you")(one, two)).toBe(posix.resolve("/home/you", one, two));
        expect(own.isAbsolute(one)).toBe(posix.isAbsolute(one));
      }),
    );
  });

  it("are taken apart as Node.js does", () => {
    fc.assert(
      fc.property(plain, plain, (one, two) => {
        expect(own.dirname(one)).toBe(posix.dirname(one));
        expect(own.basename(one)).toBe(posix.basename(one));
        expect(own.extname(one)).toBe(posix.extname(one));
        expect(own.relative(one, two)).toBe(posix.relative(one, two));
      }),
    );
  });
});
