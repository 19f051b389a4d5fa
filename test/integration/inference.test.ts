import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ItemIndex, type RunnerOptions, range, readFailures } from "millrace";
import { readNpy } from "millrace/formats";
import { type InferenceOptions, InferenceRunner, type OutputInput, readOutputScp, score } from "millrace/recipes";
import { readAudio } from "millrace/speech";
import { describe, expect, it } from "vitest";
import { DecodeProvider, FormatRunner, format } from "../fixtures/runners/decode.ts";
import { emptyFolder, makeProject, repository } from "../support/cli/project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const drive = fileURLToPath(new URL("../fixtures/children/inference-driver.mjs", import.meta.url));
const keys = ["hyp", "ref", "score", "feats", "audio", "details"];
type Config = ConstructorParameters<typeof DecodeProvider>[0];

function decode(config: Config, options: RunnerOptions<ItemIndex> & InferenceOptions = {}) {
  return new FormatRunner(new DecodeProvider(config), {
    shards: 4,
    progress: false,
    parallel: { env: "local" },
    ...options,
    outputDir: options.outputDir ?? temporaryFolder(),
  }).run(range(config.count));
}

/** Every merged list and every file it points at, by name. */
function contentsOf(dir: string): Map<string, string> {
  const contents = new Map<string, string>();
  for (const key of keys) {
    const path = join(dir, `${key}.scp`);
    contents.set(key, readFileSync(path, "utf8"));
    for (const { value } of readOutputScp(path))
      if (value.startsWith("split.")) contents.set(value, readFileSync(join(dir, value)).toString("latin1"));
  }
  return contents;
}

/** Files in the shards that no list points at. */
function orphansIn(dir: string): string[] {
  const known = contentsOf(dir);
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /^split\.\d+\/.+\//.test(name) && !known.has(name));
}

const count = 23;
const expected = (async () => {
  const outputDir = emptyFolder();
  await decode({ count }, { outputDir });
  return contentsOf(outputDir);
})();

describe("an inference run", () => {
  it("leaves a list for each key, in item order, and the files they point at", async () => {
    const outputDir = temporaryFolder();
    const result = await decode({ count }, { outputDir });
    expect(Object.keys(result.scp).sort()).toEqual([...keys].sort());
    expect(result.count["hyp"]).toBe(count);
    expect([...readOutputScp(join(outputDir, "hyp.scp"))].slice(0, 2)).toEqual([
      { id: "utt0", value: "the 0 word" },
      { id: "utt1", value: "the 1 words" },
    ]);
    expect([...readOutputScp(join(outputDir, "ref.scp"))].map(({ id }) => id)).toEqual(
      Array.from({ length: count }, (_, n) => `utt${n}`),
    );
    const moved = join(temporaryFolder(), "moved");
    renameSync(outputDir, moved);
    const { value } = [...readOutputScp(join(moved, "feats.scp"))][22]!;
    expect(readNpy(join(moved, value)).shape).toEqual([1, 5]);
    const [audio] = [...readOutputScp(join(moved, "audio.scp"))];
    expect((await readAudio(join(moved, audio!.value))).sampleRate).toBe(8000);
    expect(score(moved).words).toMatchObject({ substituted: 5, length: 3 * count });
    expect(orphansIn(moved)).toEqual([]);
  });

  it.each<[string, RunnerOptions<ItemIndex>]>([
    ["in batches", { batchSize: 3 }],
    ["in processes", { parallel: { env: "process", nWorkers: 2 } }],
    ["in threads, in batches", { parallel: { env: "thread", nWorkers: 2 }, batchSize: 3 }],
  ])("gives the same bytes %s", async (_how, options) => {
    const outputDir = temporaryFolder();
    await decode({ count }, { outputDir, ...options });
    expect(contentsOf(outputDir)).toEqual(await expected);
  });

  it.each(["items", "lists"] as const)("takes batches of a model that takes %s alone", async (takes) => {
    const outputDir = temporaryFolder();
    const calls = join(temporaryFolder(), "calls");
    await decode({ count, takes, calls }, { outputDir, batchSize: 5, modelKwargs: { beam: 2 }, shards: 1 });
    expect(contentsOf(outputDir).get("hyp")).toEqual((await expected).get("hyp"));
    const lines = readFileSync(calls, "utf8").trimEnd().split("\n");
    expect(new Set(lines)).toEqual(new Set(["speech,beam"]));
    // One batch is tried in vain; then it is known.
    expect(lines.length).toBe(takes === "items" ? 1 + count : 5);
  });

  it("continues after its workers were killed: no line twice, no file missing", async () => {
    const outputDir = temporaryFolder();
    const until = join(temporaryFolder(), "fixed");
    const options = { outputDir, parallel: { env: "process", nWorkers: 2 } } as const;
    const config = { count, deadly: { item: 7, until } };
    await expect(decode(config, options)).rejects.toThrow(/item 7/);
    writeFileSync(until, "");
    await decode(config, options);
    expect(contentsOf(outputDir)).toEqual(await expected);
    expect(orphansIn(outputDir)).toEqual([]);
  });

  it.each(["local", "process"])("is the same after kills of its driver at any moment, with env %s", async (env) => {
    const outputDir = temporaryFolder();
    const config = JSON.stringify({ count, slowMs: 8 });
    const start = () => {
      const child = spawn(process.execPath, ["--import", "tsx", drive, outputDir, env, config], {
        cwd: repository,
        stdio: ["ignore", "ignore", "inherit"],
      });
      return { child, exit: once(child, "exit") };
    };
    for (let kills = 0; kills < 3; kills++) {
      const { child, exit } = start();
      while (!existsSync(join(outputDir, "manifest.json")) && child.exitCode === null) await sleep(5);
      await sleep(15 + 45 * kills);
      child.kill("SIGKILL");
      await exit;
    }
    expect(await start().exit).toEqual([0, null]);
    expect(contentsOf(outputDir)).toEqual(await expected);
    expect(orphansIn(outputDir)).toEqual([]);
  });

  it("puts an item aside whose output is wrong, in batches too", async () => {
    const ids = ["a", "b c", "d", "a"];
    for (const batchSize of [undefined, 4]) {
      const outputDir = temporaryFolder();
      const { count: counts } = await decode({ count: 4, ids }, { outputDir, onError: "skip", shards: 1, batchSize });
      expect(counts["hyp"]).toBe(2);
      expect([...readOutputScp(join(outputDir, "hyp.scp"))].map(({ id }) => id)).toEqual(["a", "d"]);
      const failures = [...readFailures(outputDir)].map(({ item, error }) => [item, error.message.split("\n")[0]]);
      expect(failures).toEqual([
        [1, 'The id "b c" cannot begin a line of an scp file: " " is at position 1.'],
        [3, 'The id "a" has been there before.'],
      ]);
      expect(orphansIn(outputDir)).toEqual([]);
    }
  });

  it("has a failed item's record in item order once a retry succeeds", async () => {
    let isMended = false;
    class MendedRunner extends FormatRunner {
      static override readonly outputFn = (input: OutputInput) => {
        if (!isMended && input.idx === 8) throw new Error("not yet");
        return format(input);
      };
    }
    const outputDir = temporaryFolder();
    const runner = new MendedRunner(new DecodeProvider({ count }), {
      outputDir,
      shards: 4,
      progress: false,
      onError: "skip",
    });
    expect((await runner.run(range(count))).count["hyp"]).toBe(count - 1);
    isMended = true;
    await runner.retryFailed();
    expect(contentsOf(outputDir)).toEqual(await expected);
  });

  it("refuses an id that is in two shards, and says where", async () => {
    await expect(decode({ count: 4, ids: ["a", "b", "c", "b"] })).rejects.toThrow(
      'The id "b" occurs twice in hyp.scp, in lines 2 and 4.',
    );
  });

  it("has its lists also where every item was dropped", async () => {
    class Dropping extends InferenceRunner {
      static override readonly outputFn = () => null;
    }
    const outputDir = temporaryFolder();
    const runner = new Dropping(new DecodeProvider({ count: 2 }) as never, { outputDir, progress: false });
    expect((await runner.run(range(2))).count).toEqual({ hyp: 0, ref: 0 });
    expect(score(outputDir).utterances).toBe(0);
  });

  it("takes other names for ids, hypotheses and references", async () => {
    class Renamed extends InferenceRunner {
      static override readonly outputFn = ({ idx }: OutputInput) => ({ name: `u${idx}`, words: `w${idx}`, gold: "g" });
    }
    const outputDir = temporaryFolder();
    const make = (names: InferenceOptions) =>
      new Renamed(new DecodeProvider({ count: 2 }) as never, { outputDir, progress: false, ...names });
    await make({ idxKey: "name", hypKey: "words", refKey: ["gold"] }).run(range(2));
    const list = (key: string) => readFileSync(join(outputDir, `${key}.scp`), "utf8");
    expect([list("words"), list("gold")]).toEqual(["u0 w0\nu1 w1\n", "u0 g\nu1 g\n"]);
    const elsewhere = { outputDir: temporaryFolder(), idxKey: "name", hypKey: "words", refKey: ["gold", "silver"] };
    await expect(make(elsewhere).run(range(2))).rejects.toThrow('has no "silver"');
  });

  it("refuses an empty dataset", async () => {
    await expect(decode({ count: 0 })).rejects.toMatchObject({ code: "BAD_ITEMS" });
  });

  it("refuses a changed option, an option that is wrong, and a run without a folder", async () => {
    const outputDir = temporaryFolder();
    await decode({ count: 2 }, { outputDir });
    await expect(decode({ count: 2 }, { outputDir, refKey: [] })).rejects.toThrow('options.refKey: "ref" -> []');
    const make = (options: object) => () => new InferenceRunner(new DecodeProvider({ count: 1 }) as never, options);
    expect(make({ inputKey: 3 })).toThrow("Option inputKey of InferenceRunner is 3; the name of a key or a list");
    expect(make({ outputFn: () => 1 })).toThrow("is the function outputFn: workers get options as data.");
    expect(make({ outputKeys: [] })).toThrow("Option outputKeys of InferenceRunner");
    const twice = { outputDir: temporaryFolder(), outputArtifacts: { x: { sample_rate: 8000, sampleRate: 8000 } } };
    await expect(make(twice)().run([0])).rejects.toThrow("has both sample_rate and sampleRate");
    const taken = { writer: { _target_: "./w.js#w", key: 1 } };
    await expect(make({ ...twice, outputArtifacts: { x: taken } })().run([0])).rejects.toThrow(
      "has an option key of its",
    );
    expect(make({ outputArtifacts: { x: { type: "mp3" } } })).toThrow(
      "Option outputArtifacts.x.type of InferenceRunner",
    );
    await expect(make({})().run([0])).rejects.toThrow("InferenceRunner needs an outputDir: its results are files.");
    const lost = { outputDir: temporaryFolder(), outputFn: "./nowhere.js#format" };
    await expect(make(lost)().run([0])).rejects.toThrow(/nowhere\.js/);
    expect(existsSync(join(lost.outputDir, "manifest.json"))).toBe(false);
  });
});

describe("an inference run from a config", () => {
  it("has its options in snake_case, and functions by name", async () => {
    const project = makeProject();
    writeFileSync(
      project.path("asr.js"),
      `import { writeFileSync } from "node:fs";
import { InferenceProvider } from "millrace";
export class AsrProvider extends InferenceProvider {
  static buildDataset() { return [["a", "x y"], ["b", "z"]].map(([utt_id, text]) => ({ utt_id, text, speech: text })); }
  static buildModel() { return ({ speech, beam }) => speech.toUpperCase() + beam; }
}
export const output = ({ data, modelOutput }) => ({ utt_id: data.utt_id, hyp: modelOutput, ref: data.text, loud: modelOutput });
export const shout = ({ value, mark, outputPath }) => {
  writeFileSync(outputPath + ".txt", value + mark);
  return outputPath + ".txt";
};
`,
    );
    writeFileSync(
      project.path("asr.yaml"),
      `provider: { _target_: "./asr.js#AsrProvider" }
runner:
  _target_: millrace/recipes#InferenceRunner
  output_dir: exp
  output_fn: ./asr.js#output
  model_kwargs: { beam: 2 }
  output_keys: [hyp, ref, loud]
  output_artifacts: { loud: { writer: { _target_: "./asr.js#shout", mark: "!" } } }
parallel: { env: process, n_workers: 2 }
`,
    );
    const { status, stderr } = await project.run("run", "asr.yaml");
    expect({ status, stderr: stderr.includes("->") ? stderr : "" }).toEqual({ status: 0, stderr: "" });
    expect(readFileSync(project.path("exp/hyp.scp"), "utf8")).toBe("a X Y2\nb Z2\n");
    const [loud] = [...readOutputScp(project.path("exp/loud.scp"))];
    expect(readFileSync(project.path(join("exp", loud!.value)), "utf8")).toBe("X Y2!");
  });
});
