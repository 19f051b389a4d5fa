import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileSystemOf, findMount } from "../../../../src/run-folder/files/file-system.ts";

const mountinfo = `22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:21 / /proc rw - proc proc rw
90 22 0:52 / /data rw,relatime - nfs4 server:/export rw,vers=4.2
91 90 0:53 / /data/my\\040corpus rw - fuse.sshfs user@host:/ rw
92 22 0:54 / /twice rw - tmpfs tmpfs rw
93 92 0:55 / /twice rw - xfs /dev/loop0 rw
`;

describe("the file system of a path", () => {
  it.each([
    ["/home/user", "ext4", "/", true],
    ["/data/exp", "nfs4", "/data", false],
    ["/data", "nfs4", "/data", false],
    ["/database", "ext4", "/", true],
    ["/data/my corpus/exp", "fuse.sshfs", "/data/my corpus", false],
    ["/twice/exp", "xfs", "/twice", true],
  ])("is found by the longest mount above %s", (path, type, mount, isLocal) => {
    expect(findMount(mountinfo, path)).toEqual({ type, mount, isLocal });
  });

  it("is known for folders that are not there yet", () => {
    const missing = join(tmpdir(), "not", "there", "yet");
    expect(fileSystemOf(missing)).toEqual(fileSystemOf(tmpdir()));
    if (process.platform === "linux") expect(fileSystemOf(missing).type).not.toBe("unknown");
  });

  it("is unknown where no mount holds the path", () => {
    expect(findMount("", "/home")).toBeUndefined();
  });
});
