import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callProgram } from "../../../../src/launchers/jobs/call-program.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const patient = { timeoutMs: 30_000 };

/** A program of its own. */
function programThat(text: string): string {
  const program = join(temporaryFolder(), "program");
  writeFileSync(program, `#!/bin/sh\n${text}\n`);
  chmodSync(program, 0o755);
  return program;
}

describe("a foreign program", () => {
  it("gets its arguments and its input as they are", async () => {
    const program = programThat(`printf '%s|' "$@"; cat`);
    const args = ["a b", "$(touch pwned)", "'\"", "x\ny", "語"];
    expect(await callProgram({ program, args, input: "in\nput" }, patient)).toEqual({
      kind: "answer",
      text: `${args.join("|")}|in\nput`,
    });
  });

  it("is started where it is to be, with the variables it is to have", async () => {
    const cwd = temporaryFolder();
    const environment = { PATH: process.env["PATH"], SIGN: "yes" };
    const call = { program: programThat('pwd; echo "$SIGN"'), args: [], cwd };
    expect(await callProgram(call, { ...patient, environment })).toEqual({ kind: "answer", text: `${cwd}\nyes\n` });
  });

  it("that refuses is quoted", async () => {
    const program = programThat("echo nothing here; echo 'no such queue' >&2; exit 4");
    expect(await callProgram({ program, args: [] }, patient)).toEqual({
      kind: "refusal",
      why: "no such queue",
      code: 4,
      text: "nothing here\n",
    });
  });

  it("that refuses without a word is described", async () => {
    const ending = async (text: string) => await callProgram({ program: programThat(text), args: [] }, patient);
    expect(await ending("exit 9")).toMatchObject({ kind: "refusal", why: expect.stringContaining("ended with 9") });
    expect(await ending("kill -9 $$")).toMatchObject({ kind: "refusal", why: expect.stringContaining("SIGKILL") });
    expect(await ending("echo so; exit 1")).toMatchObject({ kind: "refusal", why: "so" });
  });

  it("that is not there is named", async () => {
    expect(await callProgram({ program: "no-such-program", args: [] }, patient)).toEqual({
      kind: "absent",
      why: "no-such-program is not on the PATH of this host",
    });
    const call = { program: "sh", args: [], cwd: join(temporaryFolder(), "gone") };
    expect(await callProgram(call, patient)).toMatchObject({ kind: "absent" });
  });

  it("that hangs is ended, also where it ignores that or leaves something behind", async () => {
    const mark = join(temporaryFolder(), "ended");
    for (const text of [
      "exec sleep 1000",
      `trap 'touch ${mark}' TERM; while :; do sleep 0.1; done`,
      "sleep 5; echo late",
    ]) {
      const program = programThat(text);
      expect(await callProgram({ program, args: [] }, { timeoutMs: 300 })).toEqual({
        kind: "silent",
        why: `${program} did not answer within 0.3 s`,
      });
    }
    expect(existsSync(mark)).toBe(true);
  });

  it("is ended at once where its result is no longer awaited, whatever it has left behind", async () => {
    const unwanted = new AbortController();
    const program = programThat("sleep 30 & wait");
    const answer = callProgram({ program, args: [] }, { ...patient, signal: unwanted.signal });
    setTimeout(() => unwanted.abort(), 100);
    expect(await answer).toEqual({ kind: "silent", why: `the call of ${program} was aborted` });
  });

  it("that does not read its input is not waited for", async () => {
    const call = { program: "true", args: [], input: "x".repeat(1 << 20) };
    expect(await callProgram(call, patient)).toEqual({ kind: "answer", text: "" });
  });

  it("may say much, but not without end", async () => {
    const saying = (count: number) => callProgram({ program: "head", args: [`-c${count}`, "/dev/zero"] }, patient);
    const much = await saying(10_000_000);
    expect(much.kind === "answer" && much.text.length).toBe(10_000_000);
    expect(await saying(200_000_000)).toEqual({ kind: "silent", why: "head printed more than 64 MB" });
  });
});
