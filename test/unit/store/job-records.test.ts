import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import {
  openTaskAccount,
  readSubmission,
  readSubmissions,
  readTaskReport,
  type Submission,
  writeSubmission,
} from "../../../src/store/job-records.ts";
import { runPaths } from "../../../src/store/run-paths.ts";
import { temporaryFolder } from "../../fixtures/temporary-folder.ts";

const submission: Submission = {
  version: 1,
  name: "millrace-abc",
  env: "slurm",
  tasks: 2,
  processes: 1,
  graceSeconds: 60,
};

function newRun() {
  const paths = runPaths(temporaryFolder());
  writeSubmission(paths, submission);
  return paths;
}

it("a submission is kept, and what becomes known of it", () => {
  const paths = newRun();
  writeSubmission(paths, { ...submission, id: "7" });
  expect(readSubmissions(paths)).toEqual([{ ...submission, id: "7" }]);
  expect(readSubmission(paths, "millrace-abc").id).toBe("7");
  expect(() => readSubmission(paths, "other")).toThrow("has no submission other");
});

it("files that are torn, of tasks or of others are no submissions", () => {
  const paths = newRun();
  openTaskAccount(paths, { name: "millrace-abc", task: 0, node: "n1" });
  writeFileSync(paths.job("torn.json"), '{"version":1,"na');
  writeFileSync(paths.job("later.json"), '{"version":2}');
  expect(readSubmissions(paths)).toEqual([submission]);
});

it("a task gives account of itself", () => {
  const paths = newRun();
  const place = { name: "millrace-abc", task: 1, node: "n1" };
  expect(readTaskReport(paths, place.name, 1)).toBeUndefined();
  const account = openTaskAccount(paths, place);
  account.ready();
  account.end("failed", { error: new Error("no disk") });
  expect(readTaskReport(paths, place.name, 1)).toMatchObject({
    node: "n1",
    wasReady: true,
    outcome: "failed",
    error: { message: expect.stringContaining("no disk") },
  });
});

it("a task that runs again begins a new account, into which its twin does not write", () => {
  const paths = newRun();
  const place = { name: "millrace-abc", task: 0 };
  const first = openTaskAccount(paths, { ...place, node: "n1" });
  first.ready();
  const second = openTaskAccount(paths, { ...place, node: "n2" });
  first.end("left");
  expect(readTaskReport(paths, place.name, 0)).toMatchObject({ node: "n2", wasReady: false });
  expect(readTaskReport(paths, place.name, 0)?.outcome).toBeUndefined();
  second.end("complete");
  expect(readTaskReport(paths, place.name, 0)).toMatchObject({ node: "n2", outcome: "complete" });
});
