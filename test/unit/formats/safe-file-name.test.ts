import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { safeFileName } from "../../../src/formats/safe-file-name.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const awkward = [
  ".",
  "..",
  "../etc/passwd",
  "/etc/passwd",
  "a/b",
  "a\\b",
  "a\0b",
  "a=b",
  "a=2fb",
  "=",
  "",
  " ",
  "a ",
  "a.",
  "a..",
  ".hidden",
  "CON",
  "con.wav",
  "Com7",
  "lpt1.x.y",
  "NUL",
  "a:b",
  "a|b",
  "~",
  "-rf",
  "caf\u00e9",
  "cafe\u0301",
  "\ud800",
  "\ud801",
  "\ufffd",
  "\udc00\ud800",
  "😀",
  "x".repeat(300),
  `${"x".repeat(299)}y`,
  "é".repeat(150),
  "a\nb",
];
const ids = fc.oneof(
  fc.string({ unit: "binary", maxLength: 250 }),
  fc.constantFrom(...awkward),
  fc.stringMatching(/^[A-Za-z0-9._=/ -]{0,250}$/),
  fc.array(fc.nat(0xffff), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
);
const options = fc.constantFrom({}, { caseInsensitive: true });

/** The id of a name that was not shortened: there is a way back, so no two ids have one name. */
function idOf(name: string): string {
  if (name === "=") return "";
  const codes = [...name.matchAll(/=([0-9a-f]{2})|([^=])/g)].map(([, hex, plain]) =>
    hex === undefined ? plain!.charCodeAt(0) : Number.parseInt(hex, 16),
  );
  const text = Buffer.from(codes).toString("latin1");
  // Half a surrogate pair as three bytes, which no UTF-8 has.
  const pieces = text.split(/(\xed[\xa0-\xbf][\x80-\xbf])/);
  return pieces
    .map((piece, i) => {
      const bytes = Buffer.from(piece, "latin1");
      if (i % 2 === 0) return bytes.toString("utf8");
      return String.fromCharCode(((bytes[0]! & 0xf) << 12) | ((bytes[1]! & 0x3f) << 6) | (bytes[2]! & 0x3f));
    })
    .join("");
}

describe("safeFileName", () => {
  it("leaves ordinary ids as they are", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]([A-Za-z0-9._-]{0,198}[A-Za-z0-9_-])?$/), (id) => {
        fc.pre(!/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(id));
        expect(safeFileName(id)).toBe(id);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["a/b", "a=2fb"],
    ["..", "=2e=2e"],
    ["../x", "=2e.=2fx"],
    ["CON", "=43ON"],
    ["aux.wav", "=61ux.wav"],
    ["console", "console"],
    ["a.", "a=2e"],
    ["a b", "a=20b"],
    ["", "="],
    ["a=b", "a=3db"],
    ["é", "=c3=a9"],
  ])("makes %j to %j", (id, name) => {
    expect(safeFileName(id)).toBe(name);
  });

  it("gives a name that every file system takes: short, plain characters, no device, no dot at an end", () => {
    fc.assert(
      fc.property(ids, options, (id, chosen) => {
        const name = safeFileName(id, chosen);
        expect(name).toMatch(/^[A-Za-z0-9_=-]([A-Za-z0-9._=-]*[A-Za-z0-9_=-])?$/);
        expect(name.length).toBeLessThanOrEqual(200);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
        expect(basename(resolve("/folder", name))).toBe(name);
      }),
      { numRuns: 3000 },
    );
  });

  it("gives no two ids one name: there is a way back, or a digest", () => {
    fc.assert(
      fc.property(ids, options, (id, chosen) => {
        const name = safeFileName(id, chosen);
        if (name.includes("=-")) expect(name).toMatch(/^.{100,}=-[0-9a-f]{64}$/);
        else expect(idOf(name)).toBe(id);
      }),
      { numRuns: 3000 },
    );
  });

  it("keeps ids apart that differ in case only, where it is asked to", () => {
    fc.assert(
      fc.property(fc.uniqueArray(ids, { maxLength: 20 }), (list) => {
        const all = list.flatMap((id) => [
          id,
          id.toUpperCase(),
          id.toLowerCase(),
          id.normalize("NFC"),
          id.normalize("NFD"),
        ]);
        const different = new Set(all);
        const names = [...different].map((id) => safeFileName(id, { caseInsensitive: true }).toLowerCase());
        expect(new Set(names).size).toBe(different.size);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps long ids apart that differ at their end", () => {
    const [first, second] = [safeFileName("x".repeat(300)), safeFileName(`${"x".repeat(299)}y`)];
    expect(first).not.toBe(second);
    expect(first.length).toBe(200);
    // An id that looks like a shortened name is not one.
    expect(safeFileName(first)).not.toBe(first);
  });

  it("makes files that are all there, in the folder, each with its own content", () => {
    const folder = temporaryFolder();
    for (const id of awkward) writeFileSync(join(folder, safeFileName(id)), JSON.stringify(id));
    expect(readdirSync(folder).length).toBe(awkward.length);
    for (const id of awkward) expect(readFileSync(join(folder, safeFileName(id)), "utf8")).toBe(JSON.stringify(id));
    expect(existsSync(join(folder, "..", "etc"))).toBe(false);
  });
});
