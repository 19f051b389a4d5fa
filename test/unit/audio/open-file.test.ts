import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openFile } from "../../../src/audio/open-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const kind = vi.hoisted(() => ({ type: undefined as number | undefined }));
vi.mock("node:fs", async (importActual) => {
  const actual = await importActual<typeof import("node:fs")>();
  return {
    ...actual,
    statfsSync: (path: string) => ({ ...actual.statfsSync(path), ...(kind.type === undefined ? {} : kind) }),
  };
});

afterEach(() => {
  kind.type = undefined;
});

describe.each([
  ["a disk of this machine", 0xef53],
  // No network file system can be mounted here: this is what statfs says of NFS.
  ["a network", 0x6969],
])("a file on %s", (_where, type) => {
  it("is read from any place, and answers 0 at its end", async () => {
    kind.type = type;
    const path = join(temporaryFolder(), "bytes");
    writeFileSync(path, "0123456789");
    const file = await openFile(path);
    const into = Buffer.alloc(4);
    expect(await file.read(into, 3)).toBe(4);
    expect(into.toString()).toBe("3456");
    expect(await file.read(into, 8)).toBe(2);
    expect(await file.read(into, 10)).toBe(0);
    expect((await file.stat()).size).toBe(10);
    await file.close();
  });

  it("that is missing is an error with its code", async () => {
    kind.type = type;
    await expect(openFile(join(temporaryFolder(), "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

it("a pipe without a writer is opened without waiting", async () => {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const file = await openFile(path);
  expect((await file.stat()).isFIFO()).toBe(true);
  await file.close();
});
