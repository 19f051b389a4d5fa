import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../../web/dashboard", import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.tsx?$/.test(name));
const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

/** What the pages may know of the library: the contract with the server, and how numbers and times are written. */
const known = [
  "src/dashboard/run-view.ts",
  "src/driver/progress/progress-line.ts",
  "src/run-folder/run/run-state.ts",
  "src/text/format-duration.ts",
  "src/text/format-moment.ts",
];

describe("the sources of the dashboard's pages", () => {
  it("import the contract and preact, and nothing of Node.js", () => {
    const imports = files.flatMap((file) => [...textOf(file).matchAll(/\bfrom\s+"([^"]+)"/g)].map(([, name]) => name!));
    const foreign = imports.filter((name) => !/^\.\.?\/(?!.*src\/)/.test(name) && !/^preact(\/hooks)?$/.test(name));
    expect([...new Set(foreign.map((name) => name.replace(/^(\.\.\/)+/, "")))].sort()).toEqual(known);
  });

  it("never take data for markup or code", () => {
    const risky =
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment/;
    expect(files.filter((file) => risky.test(textOf(file)))).toEqual([]);
  });

  it("have at most 300 lines each", () => {
    expect(files.filter((file) => textOf(file).split("\n").length > 300)).toEqual([]);
  });
});
