import * as realFs from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Machine } from "../../../../web/guide/machine/machine.ts";
import { nodeFs } from "../../../../web/guide/machine/node-fs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

type Fs = typeof realFs;

/** The file system of a program on a machine on which nothing runs. */
function machineFs(): Fs {
  const machine = new Machine({ boot: async () => {}, modules: {}, observer: {} });
  return nodeFs(machine.start({ entry: "main", host: "here", cwd: "/" })) as Fs;
}

const names = ["a", "b", "a/a", "a/b", "b/a"];
const name = fc.constantFrom(...names);
const call = fc.oneof(
  fc.record({ do: fc.constant("mkdir" as const), path: name }),
  fc.record({ do: fc.constant("write" as const), path: name, text: fc.constantFrom("", "one", "two\n") }),
  fc.record({ do: fc.constant("append" as const), path: name, text: fc.constantFrom("x", "yz") }),
  fc.record({ do: fc.constant("create" as const), path: name }),
  fc.record({ do: fc.constant("rename" as const), path: name, to: name }),
  fc.record({ do: fc.constant("link" as const), path: name, to: name }),
  fc.record({ do: fc.constant("unlink" as const), path: name }),
  fc.record({ do: fc.constant("rm" as const), path: name }),
  fc.record({ do: fc.constant("read" as const), path: name }),
  fc.record({ do: fc.constant("list" as const), path: name }),
  fc.record({ do: fc.constant("same" as const), path: name, to: name }),
);
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Makes a call; returns what it answered, or the code of its error. */
function make(fs: Fs, folder: string, given: Call): unknown {
  const path = join(folder, given.path);
  try {
    switch (given.do) {
      case "mkdir":
        return fs.mkdirSync(path);
      case "write":
        return fs.writeFileSync(path, given.text);
      case "append": {
        const fd = fs.openSync(path, "a");
        const written = fs.writeSync(fd, Buffer.from(given.text));
        fs.closeSync(fd);
        return written;
      }
      case "create":
        return fs.writeFileSync(path, "new", { flag: "wx" });
      case "rename":
        return fs.renameSync(path, join(folder, given.to));
      case "link":
        return fs.linkSync(path, join(folder, given.to));
      case "unlink":
        return fs.unlinkSync(path);
      case "rm":
        return fs.rmSync(path, { recursive: true, force: true });
      case "read":
        return fs.readFileSync(path, "utf8");
      case "list":
        return fs.readdirSync(path).sort();
      case "same":
        return fs.statSync(path).ino === fs.statSync(join(folder, given.to)).ino;
    }
  } catch (error) {
    const { code } = error as { code: string };
    // That nothing is there is said in two ways, which the library takes for one.
    return code === "ENOTDIR" ? "ENOENT" : code;
  }
}

describe("node:fs of the guide's machine", () => {
  it("answers as the real one, call by call", () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), (calls) => {
        const real = realFs.mkdtempSync(join(folder, "run-"));
        const fs = machineFs();
        fs.mkdirSync("/run");
        const answers = calls.map((given) => ({ given, answer: make(fs, "/run", given) }));
        expect(answers).toEqual(calls.map((given) => ({ given, answer: make(realFs, real, given) })));
      }),
      { numRuns: 300 },
    );
  });

  it("continues writing to a file that was moved", () => {
    const fs = machineFs();
    fs.mkdirSync("/attempt");
    const fd = fs.openSync("/attempt/records", "w");
    fs.writeSync(fd, Buffer.from("one "));
    fs.renameSync("/attempt", "/fenced");
    fs.writeSync(fd, Buffer.from("two"));
    expect(fs.readFileSync("/fenced/records", "utf8")).toBe("one two");
  });
});
