import { describe, expect, it } from "vitest";
import { judgeTask, type TaskPhase, taskKey } from "../../../../src/launchers/jobs/judge-tasks.ts";
import type { TaskState, TaskStatus } from "../../../../src/launchers/jobs/scheduler.ts";
import type { TaskOutcome, TaskReport } from "../../../../src/run-folder/jobs/job-records.ts";

type Said = TaskOutcome | "began" | "nothing";

function reportOf(said: Said, more: Partial<TaskReport> = {}): TaskReport | undefined {
  if (said === "nothing") return undefined;
  const outcome = said === "began" ? undefined : said;
  return { version: 1, node: "n1", pid: 7, wasReady: true, outcome, ...more };
}

function statusOf(state: TaskState | "unseen"): TaskStatus | undefined {
  return state === "unseen" ? undefined : { id: "1", task: 0, state, detail: state, node: undefined };
}

function judge(
  state: TaskState | "unseen",
  said: Said,
  { missing = 0, ...more }: Partial<TaskReport & { missing: number }> = {},
) {
  return judgeTask({ status: statusOf(state), report: reportOf(said, more), missing });
}

it.each<[TaskState | "unseen", TaskPhase]>([
  ["unseen", "due"],
  ["cancelled", "due"],
  ["lost", "due"],
  // The scheduler is slow to cancel it, or it has begun before.
  ["pending", "pending"],
  ["running", "running"],
])("a task that was withdrawn and is %s at its scheduler counts as %s", (state, phase) => {
  expect(judge(state, "withdrawn", { wasReady: false })).toBe(phase);
});

describe("a task that its scheduler calls alive", () => {
  it.each<[TaskState, Said, TaskPhase]>([
    ["pending", "nothing", "pending"],
    ["running", "nothing", "running"],
    ["running", "began", "running"],
    ["unknown", "nothing", "pending"],
    ["unknown", "began", "running"],
    // It is about to end; or it was requeued, runs again, and has not said so yet.
    ["running", "left", "running"],
    ["running", "deadline", "running"],
    ["pending", "left", "pending"],
    ["pending", "began", "pending"],
    ["pending", "complete", "pending"],
    // Its own word is enough.
    ["running", "complete", "over"],
    ["running", "failed", "over"],
  ])("%s, and that says %s of itself, is %s", (state, said, phase) => {
    expect(judge(state, said)).toBe(phase);
  });
});

describe("a task that its scheduler calls over", () => {
  it.each<[TaskState | "unseen", Said, TaskPhase]>([
    ["ended", "complete", "over"],
    ["lost", "complete", "over"],
    ["unseen", "complete", "over"],
    // It got a signal to leave, but was not cancelled.
    ["lost", "left", "due"],
    ["ended", "left", "due"],
    ["cancelled", "left", "over"],
    ["unseen", "left", "over"],
    ["ended", "deadline", "due"],
    ["lost", "deadline", "due"],
    ["unseen", "deadline", "due"],
    ["cancelled", "deadline", "over"],
    // Killed, or it could not begin.
    ["lost", "began", "lost"],
    ["ended", "began", "lost"],
    ["unseen", "began", "lost"],
    ["lost", "nothing", "failed"],
    ["ended", "nothing", "failed"],
    ["cancelled", "began", "over"],
    ["cancelled", "nothing", "over"],
    // It may never have been made: no node is at fault.
    ["unseen", "nothing", "lost"],
  ])("%s, and that says %s of itself, is %s after enough such reports", (state, said, phase) => {
    expect(judge(state, said, { missing: 3 })).toBe(phase);
  });

  it.each<[TaskState | "unseen", Said, TaskPhase]>([
    ["unseen", "nothing", "pending"],
    ["unseen", "began", "running"],
    ["lost", "began", "running"],
    ["lost", "nothing", "pending"],
  ])("%s, and that says %s of itself, is still %s after two such reports", (state, said, phase) => {
    expect(judge(state, said, { missing: 2 })).toBe(phase);
  });
});

describe("a task that ended before a worker was ready", () => {
  it("has failed, whether it says why or its time was up", () => {
    expect(judge("lost", "failed", { wasReady: false, missing: 1 })).toBe("failed");
    expect(judge("ended", "deadline", { wasReady: false, missing: 1 })).toBe("failed");
  });

  it("is not judged while its scheduler calls it running: it may be running again", () => {
    expect(judge("running", "failed", { wasReady: false })).toBe("running");
  });
});

describe("a task that has asked to be run again", () => {
  it("is pending, as long as its scheduler does not forget it", () => {
    expect(judge("running", "deadline", { isRequeued: true })).toBe("pending");
    expect(judge("unseen", "deadline", { isRequeued: true, missing: 2 })).toBe("pending");
    expect(judge("unseen", "deadline", { isRequeued: true, missing: 3 })).toBe("due");
  });
});

it("a task's key differs from those of all others of a run", () => {
  expect(taskKey({ name: "millrace-abc" }, 3)).toBe("millrace-abc.3");
});
