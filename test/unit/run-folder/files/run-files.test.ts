import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  copyInRun,
  createInRun,
  insideRun,
  linkInRun,
  makeFolderInRun,
  makeNewFolderInRun,
  moveInRun,
  openNewInRun,
  openToAppendInRun,
  openToRewriteInRun,
  removeFileInRun,
  removeFromRun,
  replaceInRun,
  rewriteInRun,
  writeNewInRun,
} from "../../../../src/run-folder/files/run-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** A run folder with a folder in it, and one outside. */
function places() {
  const top = temporaryFolder();
  const [root, outside] = [join(top, "run"), join(top, "outside")];
  mkdirSync(join(root, "folder"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, "own"), "own");
  writeFileSync(join(outside, "precious"), "precious");
  return { root, outside };
}

type Write = (root: string, path: string) => unknown;

const writes: readonly (readonly [string, Write])[] = [
  ["replaceInRun", (root, path) => replaceInRun(root, path, "x")],
  ["replaceInRun permanently", (root, path) => replaceInRun(root, path, "x", { isDurable: true })],
  ["createInRun", (root, path) => createInRun(root, path, "x")],
  ["writeNewInRun", (root, path) => writeNewInRun(root, path, "x")],
  ["rewriteInRun", (root, path) => rewriteInRun(root, path, "x")],
  ["openNewInRun", openNewInRun],
  ["openToAppendInRun", openToAppendInRun],
  ["openToRewriteInRun", openToRewriteInRun],
  ["makeFolderInRun", (root, path) => makeFolderInRun(root, path.endsWith("/") ? path : `${path}/new`)],
  ["makeNewFolderInRun", (root, path) => makeNewFolderInRun(root, path.endsWith("/") ? path : `${path}-new`)],
  ["moveInRun to it", (root, path) => moveInRun(root, join(root, "own"), path)],
  ["moveInRun from it", (root, path) => moveInRun(root, path, join(root, "moved"))],
  ["linkInRun", (root, path) => linkInRun(root, join(root, "own"), path)],
  ["copyInRun", (root, path) => copyInRun(root, join(root, "own"), path)],
  ["removeFileInRun", removeFileInRun],
  ["removeFromRun", removeFromRun],
];

describe.each(writes)("%s", (_name, write) => {
  it.each([
    ["a path that leads out", (root: string) => `${root}/../outside/precious`],
    ["a path that leads out and back", (root: string) => `${root}/folder/../../outside/precious`],
    ["another folder that begins alike", (root: string) => `${root}-side/precious`],
    ["a whole path elsewhere", (root: string) => join(root, "..", "outside", "precious")],
    ["a NUL", (root: string) => `${root}/a\0b`],
    ["no name", (root: string) => `${root}/`],
  ])("refuses %s", (_what, path) => {
    const { root, outside } = places();
    expect(() => write(root, path(root))).toThrow(expect.objectContaining({ code: "RUN_DAMAGED" }));
    expect(readdirSync(outside)).toEqual(["precious"]);
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious");
  });

  it("refuses what lies behind a link, however deep", () => {
    const { root, outside } = places();
    symlinkSync(outside, join(root, "folder", "link"));
    mkdirSync(join(outside, "inner"));
    writeFileSync(join(outside, "inner", "precious"), "precious");
    for (const path of ["folder/link/precious", "folder/link/inner/precious"])
      expect(() => write(root, join(root, path))).toThrow(expect.objectContaining({ code: "RUN_DAMAGED" }));
    expect(readdirSync(outside).sort()).toEqual(["inner", "precious"]);
    expect(readdirSync(join(outside, "inner"))).toEqual(["precious"]);
  });

  it("leaves alone what a link in the place of the file leads to", () => {
    const { root, outside } = places();
    symlinkSync(join(outside, "precious"), join(root, "folder", "file"));
    try {
      write(root, join(root, "folder", "file"));
    } catch {
      // Some refuse it, others put theirs in place of the link.
    }
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious");
    expect(readdirSync(outside)).toEqual(["precious"]);
  });
});

describe("a run folder", () => {
  it("may be reached through a link, and lie behind one", () => {
    const { root } = places();
    const link = join(temporaryFolder(), "link");
    symlinkSync(root, link);
    rewriteInRun(link, join(link, "folder", "file"), "x");
    expect(readFileSync(join(root, "folder", "file"), "utf8")).toBe("x");
    symlinkSync(join(root, ".."), `${link}-above`);
    const run = join(`${link}-above`, "run");
    removeFromRun(run, join(run, "folder"));
    expect(existsSync(join(root, "folder"))).toBe(false);
  });

  it("may be the root of a file system", () => {
    expect(insideRun("/", "/manifest.json")).toBe("/manifest.json");
  });

  it("notices a link that has taken the place of a folder: at once, and claims and commits in a moment", async () => {
    const { root, outside } = places();
    makeNewFolderInRun(root, join(root, "folder", "claim"));
    moveInRun(root, join(root, "folder"), join(root, "aside"));
    symlinkSync(outside, join(root, "folder"));
    expect(() => insideRun(root, join(root, "folder", "file"))).toThrow(/is a symbolic link/);
    expect(() => rewriteInRun(root, join(root, "folder", "file"), "x")).toThrow(/is a symbolic link/);
    await expect
      .poll(() => {
        try {
          removeFromRun(root, join(root, "folder", "nothing"));
          return "inside";
        } catch (error) {
          return (error as { code: string }).code;
        }
      })
      .toBe("RUN_DAMAGED");
  });

  it("keeps a folder outside when a link to it is removed with all that is in it", () => {
    const { root, outside } = places();
    symlinkSync(outside, join(root, "folder", "link"));
    removeFromRun(root, join(root, "folder"));
    expect(existsSync(join(root, "folder"))).toBe(false);
    symlinkSync(outside, join(root, "split.0"));
    removeFromRun(root, join(root, "split.0"));
    expect(existsSync(join(root, "split.0"))).toBe(false);
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("precious");
  });

  it("keeps a folder that has the name of a file", () => {
    const { root } = places();
    expect(() => removeFileInRun(root, join(root, "folder"))).toThrow(/is a folder where the run has a file/);
  });
});

describe("a second name of a file outside", () => {
  it("is replaced, and what it was a name of stays", () => {
    const { root, outside } = places();
    const path = join(root, "folder", "file");
    linkSync(join(outside, "precious"), path);
    rewriteInRun(root, path, "x");
    expect([readFileSync(path, "utf8"), readFileSync(join(outside, "precious"), "utf8")]).toEqual(["x", "precious"]);
  });

  it("is not added to", () => {
    const { root, outside } = places();
    const path = join(root, "folder", "file");
    linkSync(join(outside, "precious"), path);
    expect(() => openToAppendInRun(root, path)).toThrow(/not a regular file with one name/);
    expect(statSync(join(outside, "precious")).size).toBe(8);
  });
});

it("a link that is moved is moved itself", () => {
  const { root, outside } = places();
  symlinkSync(outside, join(root, "link"));
  moveInRun(root, join(root, "link"), join(root, "folder", "link"));
  expect(readlinkSync(join(root, "folder", "link"))).toBe(outside);
});
