import { execFileSync } from "node:child_process";
import { closeSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openRegularFile } from "../../../src/input/open-regular-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("openRegularFile", () => {
  it("opens a file, and a link to one", () => {
    const folder = temporaryFolder();
    const path = join(folder, "file");
    writeFileSync(path, "seven b");
    symlinkSync(path, join(folder, "link"));
    for (const name of ["file", "link"]) {
      const { fd, sizeBytes } = openRegularFile(join(folder, name));
      expect(sizeBytes).toBe(7);
      expect(readFileSync(fd, "utf8")).toBe("seven b");
      closeSync(fd);
    }
  });

  it("refuses a pipe without waiting for a writer", () => {
    const folder = temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync(join(folder, "pipe"), join(folder, "link-to-pipe"));
    for (const name of ["pipe", "link-to-pipe"]) {
      expect(() => openRegularFile(join(folder, name))).toThrow("it is a pipe, not a regular file");
    }
  });

  it("refuses a folder, a device and a socket", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "socket");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(() => openRegularFile(folder)).toThrow("it is a directory, not a regular file");
    expect(() => openRegularFile("/dev/zero")).toThrow("it is a device, not a regular file");
    expect(() => openRegularFile(path)).toThrow("it is a socket or a device, not a regular file");
    await new Promise((resolve) => server.close(resolve));
  });

  it("says what the system says where nothing is there", () => {
    expect(() => openRegularFile(join(temporaryFolder(), "missing"))).toThrow(
      expect.objectContaining({ code: "ENOENT" }),
    );
  });
});
