import { chmodSync, chownSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import {
  beginTaskReport,
  noteWithdrawn,
  readJobRecords,
  readSubmission,
  readSubmissions,
  readTaskReport,
  type Submission,
  whySubmissionNotOwned,
  writeSubmission,
} from "../../../../src/run-folder/jobs/job-records.ts";
import { hostileFields, hostileIds, hostileNames } from "../../../support/hostile-job-records.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

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
  beginTaskReport(paths, { name: "millrace-abc", task: 0, node: "n1" });
  writeFileSync(paths.job("torn.json"), '{"version":1,"na');
  writeFileSync(paths.job("later.json"), '{"version":2}');
  expect(readSubmissions(paths)).toEqual([submission]);
});

it("a task gives account of itself", () => {
  const paths = newRun();
  const place = { name: "millrace-abc", task: 1, node: "n1" };
  expect(readTaskReport(paths, place.name, 1)).toBeUndefined();
  const account = beginTaskReport(paths, place);
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
  const first = beginTaskReport(paths, { ...place, node: "n1" });
  first.ready();
  const second = beginTaskReport(paths, { ...place, node: "n2" });
  first.end("left");
  expect(readTaskReport(paths, place.name, 0)).toMatchObject({ node: "n2", wasReady: false });
  expect(readTaskReport(paths, place.name, 0)?.outcome).toBeUndefined();
  second.end("complete");
  expect(readTaskReport(paths, place.name, 0)).toMatchObject({ node: "n2", outcome: "complete" });
});

it("a record that no driver has written is a row with what is wrong, and the others are read", () => {
  const paths = newRun();
  const files = Object.entries({ ...hostileFields, id: hostileIds.filter((id) => !isOfSomeScheduler(id)) }).flatMap(
    ([field, values]) => values.map((value, i) => [`${field}${i}`, { [field]: value }] as const),
  );
  for (const [name, change] of files)
    writeFileSync(paths.job(`${name}.json`), JSON.stringify({ ...submission, name, ...change }));
  for (const [i, name] of hostileNames.entries())
    writeFileSync(paths.job(`name${i}.json`), JSON.stringify({ ...submission, name }));
  const records = readJobRecords(paths);
  expect(records).toHaveLength(files.length + hostileNames.length + 1);
  // An env that there is not is for the launchers to know.
  const believed = records.filter(({ problem }) => problem === undefined).map(({ file }) => file);
  expect(believed).toEqual(["env1.json", "env3.json", "millrace-abc.json"]);
});

// Which ids a scheduler gives, the launchers know.
function isOfSomeScheduler(id: unknown): boolean {
  return typeof id === "string" && id !== "" && !/^-|\s|\p{Cc}/u.test(id) && id.length < 257;
}

it("open submissions have no more tasks together than any scheduler takes", () => {
  const paths = newRun();
  for (const name of ["a", "b", "c"]) writeSubmission(paths, { ...submission, name, tasks: 400_000 });
  expect(readJobRecords(paths).map(({ problem }) => problem === undefined)).toEqual([true, true, false, false]);
});

it("nothing is written under a name that leaves the folder", () => {
  const paths = newRun();
  expect(() => writeSubmission(paths, { ...submission, name: "../../../precious" })).toThrow(
    "is not a valid name there",
  );
  expect(() => noteWithdrawn(paths, { name: "../precious" }, 0)).toThrow("is not a valid name there");
  expect(readTaskReport(paths, "../jobs/millrace-abc", 0)).toBeUndefined();
});

it.skipIf(process.platform === "win32")(
  "a record is for its user alone to write, whatever the umask (no modes on Windows)",
  () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const paths = newRun();
    expect(statSync(paths.job("millrace-abc.json")).mode & 0o777).toBe(0o644);
    expect(whySubmissionNotOwned(paths, submission, { mayWrite: true })).toBeUndefined();
    chmodSync(paths.job("millrace-abc.json"), 0o646);
    expect(whySubmissionNotOwned(paths, submission, { mayWrite: true })).toContain(
      "can be written by others (mode 646",
    );
  },
);

it.skipIf(process.geteuid?.() !== 0)(
  "a record of another user is not the caller's (needs root, to give a file away)",
  () => {
    const paths = newRun();
    chownSync(paths.job("millrace-abc.json"), 4711, 4711);
    for (const mayWrite of [true, false])
      expect(whySubmissionNotOwned(paths, submission, { mayWrite })).toBe("belongs to user 4711");
    expect(readdirSync(paths.jobs)).toEqual(["millrace-abc.json"]);
  },
);

it.each([
  { node: 5 },
  { node: "n1\ntouch pwned" },
  { pid: "1" },
  { wasReady: "yes" },
  { outcome: "gone" },
  { isRequeued: 1 },
  { error: "no" },
  { error: { code: 5, message: "no" } },
  { error: { code: "BAD_FILE", message: "no", cause: "text" } },
])("an account of a task with %j is none", (change) => {
  const paths = newRun();
  const report = { version: 1, node: "n1", pid: 7, wasReady: true };
  writeFileSync(paths.job("millrace-abc.0.json"), JSON.stringify(report));
  expect(readTaskReport(paths, "millrace-abc", 0)).toEqual(report);
  writeFileSync(paths.job("millrace-abc.0.json"), JSON.stringify({ ...report, ...change }));
  expect(readTaskReport(paths, "millrace-abc", 0)).toBeUndefined();
});

it("a task that ends after its run was deleted does not bring the folder back", () => {
  const paths = newRun();
  const account = beginTaskReport(paths, { name: "millrace-abc", task: 0, node: "n1" });
  rmSync(paths.machinery, { recursive: true });
  expect(() => account.end("complete")).toThrow("ENOENT");
  expect(existsSync(paths.machinery)).toBe(false);
});
