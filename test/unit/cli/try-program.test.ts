import { describe, expect, it } from "vitest";
import { tryProgram } from "../../../src/cli/doctor/try-program.ts";

const timeoutMs = 30_000;
const ask = (script: string, forMs = timeoutMs) => tryProgram(["sh", "-c", script], forMs);

describe("tryProgram", () => {
  it("answers with what the program wrote to stdout", async () => {
    expect(await ask("echo '  yes '; echo no >&2")).toEqual({ kind: "answer", text: "yes" });
  });

  it("says why it failed: its last line, or how it ended", async () => {
    expect(await ask("echo why >&2; echo; exit 3")).toEqual({ kind: "failed", why: "why" });
    expect(await ask("exit 3")).toEqual({ kind: "failed", why: "it ended with exit code 3" });
    expect(await ask("kill -9 $$")).toEqual({ kind: "failed", why: "it ended with SIGKILL" });
  });

  it("distinguishes a missing program from one that may not be run", async () => {
    expect(await tryProgram(["no-such-program-here"], timeoutMs)).toEqual({ kind: "absent" });
    expect(await tryProgram(["/"], timeoutMs)).toMatchObject({ kind: "failed" });
  });

  it("does not wait for one that hangs, nor for what it has started", async () => {
    expect(await ask("trap '' TERM; sleep 600 & wait", 300)).toEqual({ kind: "silent" });
  });

  it("is not filled by one that never stops talking", async () => {
    expect(await ask("exec yes", 300)).toEqual({ kind: "silent" });
  });
});
