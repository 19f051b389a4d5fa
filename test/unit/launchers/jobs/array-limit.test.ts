import { describe, expect, it } from "vitest";
import { arrayLimit, arraysOf } from "../../../../src/launchers/jobs/array-limit.ts";
import type { CallAnswer } from "../../../../src/launchers/jobs/call-program.ts";

const asked = { arrayLimit: { ask: { program: "limit", args: [] }, parse: Number } };
const answering = (answer: CallAnswer) => async () => answer;

describe("the arrays of a submission", () => {
  it.each([
    [8, 3, [3, 3, 2]],
    [6, 3, [3, 3]],
    [2, 3, [2]],
    [5, Number.POSITIVE_INFINITY, [5]],
    [0, 3, []],
  ])("%i tasks, at most %d in one", (tasks, max, arrays) => {
    expect(arraysOf(tasks, max)).toEqual(arrays);
  });

  it("are as long as the user says, whatever the scheduler would say", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await arrayLimit(asked, { maxArraySize: 7 }, never)).toEqual({ max: 7, isKnown: true });
  });

  it("are as long as the scheduler says, and without a limit while it says nothing", async () => {
    const none = { maxArraySize: undefined };
    expect(await arrayLimit(asked, none, answering({ kind: "answer", text: "12" }))).toEqual({
      max: 12,
      isKnown: true,
    });
    expect(await arrayLimit(asked, none, answering({ kind: "silent", why: "it hangs" }))).toEqual({
      max: Number.POSITIVE_INFINITY,
      isKnown: false,
    });
  });
});
