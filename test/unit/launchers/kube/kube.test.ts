// The answers follow the Kubernetes API reference; no cluster was there to be asked.
import { describe, expect, it } from "vitest";
import { kube } from "../../../../src/launchers/kube/kube.ts";
import { sampleJob } from "../../../support/sample-jobs.ts";

const labels = { "millrace-job": "speech-1" };
const pod = (index: number, second: number, status: object) => ({
  kind: "Pod",
  metadata: {
    name: `speech-1-${index}-${second}`,
    labels,
    annotations: { "batch.kubernetes.io/job-completion-index": String(index) },
    creationTimestamp: `2026-11-16T04:40:${String(second).padStart(2, "0")}Z`,
  },
  spec: { nodeName: `node${index}` },
  status,
});
const job = (status: object) => ({
  kind: "Job",
  metadata: { name: "speech-1", labels },
  spec: { completions: 6 },
  status,
});
const list = (...items: object[]) => JSON.stringify({ kind: "List", items });

describe("the dialect of Kubernetes", () => {
  it("speaks to the cluster and the namespace that were named", () => {
    const { schedulerOptions } = sampleJob("kube", "full").options;
    expect(kube.cancel(["speech-1"], schedulerOptions).args).toEqual([
      "--context=lab",
      "--namespace=speech",
      "delete",
      "jobs",
      "--wait=false",
      "--ignore-not-found",
      "--",
      "speech-1",
    ]);
    expect(kube.find("Speech-1", {}).args).toContain("millrace-job=speech-1");
  });

  it.each(["image", "volume_claim", "mount_path"])("says that %s is missing", (name) => {
    const sample = sampleJob("kube", "plain");
    const { [name]: _, ...schedulerOptions } = sample.options.schedulerOptions;
    expect(() => kube.render({ ...sample, options: { ...sample.options, schedulerOptions } })).toThrow(
      `${name} is missing`,
    );
  });

  it("reads the name of what was created", () => {
    expect(kube.parseSubmitted("job.batch/speech-1\n")).toBe("speech-1");
    expect(kube.parseSubmitted("error: unable to recognize")).toBeUndefined();
  });

  it("reads tasks from the job and the youngest pod of each", () => {
    const answer = list(
      job({ completedIndexes: "0", failedIndexes: "4" }),
      pod(1, 30, { phase: "Running" }),
      pod(1, 10, { phase: "Failed" }),
      pod(2, 10, { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }] }),
      pod(3, 10, {
        phase: "Failed",
        containerStatuses: [{ state: { terminated: { exitCode: 99, reason: "Error" } } }],
      }),
      pod(4, 10, { phase: "Failed", reason: "DeadlineExceeded" }),
    );
    expect(kube.parseStatus(answer).map(({ task, state, detail, node }) => [task, state, detail, node])).toEqual([
      [0, "ended", "no pod yet", undefined],
      [1, "running", "Running", "node1"],
      [2, "pending", "Pending, ImagePullBackOff", "node2"],
      [3, "pending", "Failed, Error, exit code 99", "node3"],
      [4, "lost", "Failed, DeadlineExceeded", "node4"],
      [5, "pending", "no pod yet", undefined],
    ]);
  });

  it("takes the tasks of a job that failed for lost, but for those that still run", () => {
    const failed = job({ conditions: [{ type: "Failed", status: "True", reason: "PodFailurePolicy" }] });
    const states = kube.parseStatus(list(failed, pod(0, 1, { phase: "Running" }))).map(({ state }) => state);
    expect(states).toEqual(["running", "lost", "lost", "lost", "lost", "lost"]);
  });

  it("takes a phase it does not know for unknown, and no JSON for no tasks", () => {
    expect(kube.parseStatus(list(job({}), pod(0, 1, { phase: "Odd" })))[0]).toMatchObject({ state: "unknown" });
    expect(kube.parseStatus("error")).toEqual([]);
  });

  it("finds a submission by its name", () => {
    expect(kube.parseFound(list(job({})), "Speech-1")).toBe("speech-1");
    expect(kube.parseFound(list(), "speech-1")).toBeUndefined();
  });
});
