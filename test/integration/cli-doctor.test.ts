import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyFolder, makeProject, type Project } from "../support/cli/project.ts";

interface Finding {
  readonly state: string;
  readonly what: string;
  readonly detail: string;
  readonly hint?: string;
}

/** Programs that stand in for those of a scheduler: shell scripts, in a folder that is the whole PATH but for sh. */
function fakePrograms(scripts: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

async function examine(project: Project, words: string[], PATH = fakePrograms({})) {
  const { status, stdout, stderr } = await project.start(["doctor", "--json", ...words], { PATH }).ended;
  const findings = stdout === "" ? [] : (JSON.parse(stdout) as Finding[]);
  return { status, stderr, findings, of: (what: string) => findings.filter((finding) => finding.what === what) };
}

describe.concurrent("millrace doctor", () => {
  it("looks at Node, the machine and the file system; what is missing is no error", async () => {
    const project = makeProject();
    const { status, findings, of } = await examine(project, []);
    expect(status).toBe(0);
    for (const what of ["Node.js", "machine", "output folder", "file system", "abilities", "speed", "clock", "verdict"])
      expect(of(what)).toMatchObject([{ state: "fine" }]);
    expect(of("abilities")[0]!.detail).toContain("rename a folder, keep a full folder, replace a file, hard links");
    expect(of("output folder")[0]!.detail).toContain(project.dir);
    expect(findings.filter(({ state }) => state === "missing").map(({ what }) => what)).toContain("Slurm");
    expect(project.names("").filter((name) => name.startsWith(".probe"))).toEqual([]);
  });

  it("asks a scheduler instead of looking for its program (with fakes of sinfo, qhost, bqueues and nvidia-smi)", async () => {
    const project = makeProject();
    const fakes = fakePrograms({
      sinfo: "echo 'cpu 4 idle'; echo 'gpu 2 mixed'",
      qhost: "echo 'cannot reach qmaster' >&2; exit 1",
      // As one that hangs in a network call, with a child that would keep its output open.
      bqueues: "trap '' TERM; /bin/sleep 600 & wait",
      "nvidia-smi": "exit 9",
    });
    const { status, of } = await examine(project, ["--timeout", "5"], fakes);
    expect(status).toBe(0);
    expect(of("Slurm")).toMatchObject([{ state: "fine", detail: "answers: cpu 4 idle (and 1 more lines)" }]);
    expect(of("Grid Engine")).toMatchObject([
      { state: "note", detail: expect.stringContaining("cannot reach qmaster") },
    ]);
    expect(of("LSF")).toMatchObject([{ state: "note", detail: expect.stringContaining("did not answer in time") }]);
    expect(of("NVIDIA GPUs")).toMatchObject([{ state: "note", detail: expect.stringContaining("exit code 9") }]);
  });

  it("loads ONNX Runtime instead of only finding it (with a fake package)", async () => {
    const project = makeProject();
    const folder = project.path("node_modules/onnxruntime-node");
    mkdirSync(folder);
    writeFileSync(join(folder, "index.js"), "throw new Error('wrong ELF class')");
    expect((await examine(project, [])).of("ONNX Runtime")).toMatchObject([
      { state: "note", detail: expect.stringContaining("does not load") },
    ]);
    writeFileSync(join(folder, "index.js"), "");
    expect((await examine(project, [])).of("ONNX Runtime")).toMatchObject([{ state: "fine" }]);
  });

  it("prints a line each for people", async () => {
    const project = makeProject();
    const { status, stdout } = await project.start(["doctor"], { PATH: fakePrograms({}) }).ended;
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^ok {6}Node\.js: v\d+/) });
    expect(stdout).toContain("absent  Slurm: sinfo is not installed; env: slurm cannot be used");
  });

  it("looks whether a config can be read, its modules are there and its outputs can be written", async () => {
    const project = makeProject();
    const sound = await examine(project, ["job.yaml"]);
    expect(sound.status).toBe(0);
    for (const what of ["config", "classes", "parallel"]) expect(sound.of(what)).toMatchObject([{ state: "fine" }]);
    const text = project.text("job.yaml");
    writeFileSync(
      project.path("wrong.yaml"),
      text.replace("./jobs.js#JobRunner", "./job.js#JobRunner").replace("env: local", "env: kube"),
    );
    const wrong = await examine(project, ["wrong.yaml"]);
    expect(wrong.status).toBe(1);
    expect(wrong.of("classes")).toMatchObject([
      { state: "wrong", hint: expect.stringContaining("Did you mean ./jobs.js?") },
    ]);
    expect(wrong.of("parallel")).toMatchObject([{ state: "wrong", detail: expect.stringContaining("kube") }]);
    writeFileSync(project.path("broken.yaml"), "a: [1");
    expect((await examine(project, ["broken.yaml"])).of("config")).toMatchObject([{ state: "wrong" }]);
  });

  it("takes overrides of a config as run does, and none of a run", async () => {
    const project = makeProject();
    const sound = await examine(project, ["job.yaml", "parallel.env=process", "parallel.n_workers=3"]);
    expect(sound.of("parallel")).toMatchObject([{ state: "fine", detail: "process, 3 workers" }]);
    await project.run("run", "job.yaml");
    const { status, stderr } = await examine(project, ["exp/job", "says=true"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("only a config takes overrides") });
  });

  it("finds a backend wrong that the config needs and that is absent or does not answer (with a fake of sinfo)", async () => {
    const project = makeProject();
    const absent = await examine(project, ["job.yaml", "parallel.env=lsf"]);
    expect(absent.of("LSF")).toMatchObject([
      {
        state: "wrong",
        detail: expect.stringContaining("bqueues is not installed"),
        hint: expect.stringContaining("env: lsf"),
      },
    ]);
    expect(absent.of("Slurm")).toMatchObject([{ state: "missing" }]);
    expect(absent.status).toBe(1);
    const sinfo = (script: string) => fakePrograms({ sinfo: script });
    const mute = await examine(project, ["job.yaml", "parallel.env=slurm"], sinfo("echo 'no controller' >&2; exit 1"));
    expect(mute.of("Slurm")).toMatchObject([{ state: "wrong", detail: expect.stringContaining("no controller") }]);
    expect(mute.status).toBe(1);
    const sound = await examine(project, ["job.yaml", "parallel.env=slurm"], sinfo("echo 'cpu 4 idle'"));
    expect(sound.of("Slurm")).toMatchObject([{ state: "fine" }]);
    expect(sound.status).toBe(0);
  });

  it("asks Kubernetes where the config has its jobs (with a fake of kubectl)", async () => {
    const project = makeProject();
    const words = [
      "job.yaml",
      "parallel.env=kube",
      "+parallel.options={context: c1, namespace: n1, image: i, volume_claim: v, mount_path: /v}",
    ];
    const kubectl = fakePrograms({
      kubectl: `case "$*" in "--context=c1 --namespace=n1 get jobs "*) ;; *) echo "forbidden: $*" >&2; exit 1;; esac`,
    });
    expect((await examine(project, words, kubectl)).of("Kubernetes")).toMatchObject([{ state: "fine" }]);
    expect((await examine(project, [], kubectl)).of("Kubernetes")).toMatchObject([{ state: "note" }]);
  });

  it("asks each host of env: ssh for its Node.js, without a password and not for ever (with a fake of ssh)", async () => {
    const project = makeProject();
    const words = [
      "job.yaml",
      "parallel.env=ssh",
      "+parallel.options={hosts: [good, gone, good, hung], node: my node}",
    ];
    const ssh = fakePrograms({
      ssh: `case "$*" in
        -V) ;;
        *"BatchMode=yes"*"ConnectTimeout=2 -- good exec 'my node' --version") echo v20.19.0;;
        *"-- gone "*) echo 'ssh: Could not resolve hostname gone' >&2; exit 255;;
        *) trap '' TERM; /bin/sleep 600 & wait;;
      esac`,
    });
    const { status, of } = await examine(project, [...words, "--timeout", "2", "--trust"], ssh);
    expect(of("ssh")).toMatchObject([{ state: "fine" }]);
    expect(of("ssh good")).toEqual([{ state: "fine", what: "ssh good", detail: "answers: Node.js v20.19.0" }]);
    expect(of("ssh gone")).toMatchObject([
      {
        state: "wrong",
        detail: expect.stringContaining("Could not resolve"),
        hint: expect.stringContaining("ssh gone"),
      },
    ]);
    expect(of("ssh hung")).toMatchObject([{ state: "wrong", detail: expect.stringContaining("not answer in time") }]);
    expect(status).toBe(1);
    const without = await examine(project, [...words, "--trust"]);
    expect(without.of("ssh")).toMatchObject([
      { state: "wrong", detail: expect.stringContaining("ssh is not installed") },
    ]);
    expect(without.of("ssh good")).toEqual([]);
    expect((await examine(project, [])).of("ssh")).toMatchObject([{ state: "missing" }]);
  });

  it("shows which worker holds a shard, why a shard waits and what would be run again", async () => {
    const project = makeProject();
    const words = ["run", "job.yaml", "held=[7]", "held_until=go", "says=true"];
    const run = project.start(words);
    await run.seen(/at item 7/);
    const held = await examine(project, ["exp/job"]);
    expect(held.status).toBe(0);
    expect(held.of("split.1")).toMatchObject([
      { detail: expect.stringContaining(`held by process ${run.child.pid} on `) },
    ]);
    expect(held.of("run")).toMatchObject([
      { state: "fine", detail: "running, 1 of 4 shards committed, 1 workers" },
      { detail: "2 shards were not begun: they wait for a free worker" },
    ]);
    run.child.kill("SIGKILL");
    await run.ended;
    const dead = await examine(project, ["exp/job"]);
    expect(dead.of("split.1")[0]!.detail).toMatch(/is gone; (the next attempt continues at item|no checkpoint)/);
    expect(dead.of("run")[1]!.detail).toContain("no process works on the run");
    const second = project.start(words);
    await second.seen(/at item 7/);
    second.child.kill("SIGINT");
    await second.seen(/stopping after the current items/);
    project.touch("go");
    await second.ended;
    const stopped = await examine(project, ["exp/job"]);
    expect(stopped.of("split.1")[0]!.detail).toBe(
      "its worker released it: it was asked to stop; the next attempt continues at item 3 of 5",
    );
  });

  it.each(["local", "process"])("shows which item and error ended a run, env %s", async (env) => {
    const project = makeProject();
    const words = ["job.yaml", `parallel.env=${env}`, "runner.on_error=fail", "fails_until=fixed"];
    await project.run("run", ...words, "fails=[7]");
    const failed = await examine(project, ["exp/job"]);
    expect(failed.of("split.1")[0]!.detail).toMatch(
      /^its worker released it: JobRunner\.forward failed at item 7: time is out at 7; the next/,
    );
    expect(failed.of("run")[1]).toMatchObject({
      state: "note",
      detail: expect.stringMatching(
        /^an error ended it: JobRunner\.forward failed at item 7: time is out at 7.* \(jobs\.js:\d+:\d+\)$/s,
      ),
      hint: expect.any(String),
    });
    project.touch("fixed");
    await project.run("run", ...words, "fails=[7]");
    expect((await examine(project, ["exp/job"])).of("run").map(({ detail }) => detail)).toEqual([
      "complete, 4 of 4 shards committed, 0 workers",
    ]);
  });

  it("shows what of a run is damaged, failed or cancelled", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[8]", "says=true");
    writeFileSync(project.path("exp/job/split.3/records.jsonl"), "");
    await project.run("cancel", "exp/job");
    const { status, of } = await examine(project, ["exp/job"]);
    expect(status).toBe(1);
    expect(of("split.3")).toMatchObject([{ state: "wrong", detail: expect.stringContaining("has 0 bytes") }]);
    expect(of("run").map(({ detail }) => detail)).toEqual([
      "stopped, 3 of 4 shards committed, 0 workers",
      "it was cancelled",
      "1 items failed",
    ]);
  });
});
