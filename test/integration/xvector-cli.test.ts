import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStatus } from "millrace";
import { openNpz } from "millrace/formats";
import { extractXVectors, submitXVectors } from "millrace/recipes";
import { encodeWav } from "millrace/speech";
import { describe, expect, it } from "vitest";
import { program, repository } from "../support/cli/project.ts";
import { diagnose, transpile } from "../support/diagnose.ts";
import { makeVoices } from "../support/recipes/voices.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function millrace(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd, encoding: "utf8" });
  return { status, stdout, stderr };
}

function corpus(manifest?: string): string {
  const folder = temporaryFolder();
  makeVoices(folder, { speakers: 2, utterances: 2 });
  if (manifest !== undefined) writeFileSync(join(folder, "manifest.tsv"), manifest);
  const xvector = {
    toolkit: "builtin",
    spk_embed_tag: "tag",
    save_path: "out",
    manifest_paths: { train: "manifest.tsv" },
  };
  writeFileSync(join(folder, "xvector.yaml"), JSON.stringify({ xvector }));
  return folder;
}

describe("millrace xvector", () => {
  it("says what it made and where, and continues from there when it is started again", () => {
    const folder = corpus();
    const first = millrace(folder, "xvector", "xvector.yaml");
    expect(first).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^train: 4 embeddings of 46 numbers; 2 speakers, 0\.00 h of audio, EER \d+\.\d\d %\n {2}.*out\/tag\/train\n {2}.*train\.html\n$/,
      ),
    });
    rmSync(join(folder, "wav"), { recursive: true });
    expect(millrace(folder, "xvector", "xvector.yaml").stdout).toBe(first.stdout);
  });

  it("prints the same as JSON", () => {
    const folder = corpus();
    const { status, stdout } = millrace(folder, "xvector", "xvector.yaml", "--json");
    expect([status, JSON.parse(stdout)]).toMatchObject([0, [{ split: "train", written: 4, failed: 0, dimension: 46 }]]);
  });

  it("--check lists everything that is wrong with its place, and writes nothing", () => {
    const folder = corpus(
      "s0-u0\twav/s0-u0.wav\t\ts0\nx\ty\ns0-u0\twav/s0-u1.wav\t\ts0\nghost\tno.wav\t\ts1\ntext\txvector.yaml\t\ts1\n",
    );
    const { status, stdout } = millrace(folder, "xvector", "xvector.yaml", "--check");
    const manifest = join(folder, "manifest.tsv");
    expect(stdout.split("\n").map((line) => line.slice(0, line.indexOf(": ", manifest.length)))).toMatchObject([
      `${manifest}:2`,
      `${manifest}:3`,
      `${manifest}:4`,
      `${manifest}:5`,
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    expect(stdout).toContain("train: 5 utterances of 2 speakers, 0.00 h of audio, 4 problems\n");
    expect(stdout).toContain("model: builtin, cpu, a vector of 46 numbers\n");
    expect(status).toBe(1);
    expect(millrace(folder, "xvector", "xvector.yaml").status).toBe(1);
  });

  it("--check has nothing to say of a good corpus, as JSON too", () => {
    const folder = corpus();
    expect(millrace(folder, "xvector", "xvector.yaml", "--check")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("0 problems"),
    });
    const { stdout } = millrace(folder, "xvector", "xvector.yaml", "--check", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      splits: [{ split: "train", utterances: 4, problems: [] }],
      toolkit: "builtin",
      device: "cpu",
      dimension: 46,
    });
  });

  it("--check embeds the first utterance that can be, and lists those before it", () => {
    const folder = corpus();
    writeFileSync(join(folder, "wav", "s0-u0.wav"), encodeWav(new Float32Array(16_000), { sampleRate: 16_000 }));
    const { status, stdout } = millrace(folder, "xvector", "xvector.yaml", "--check");
    expect(stdout).toMatch(
      /manifest\.tsv:1: .*s0-u0\.wav is silent.*\n.* 1 problem\nmodel: builtin, cpu, a vector of 46/,
    );
    expect(status).toBe(1);
  });

  it("--check says what is wrong with the model, beside what is wrong with the corpus", () => {
    const folder = corpus();
    rmSync(join(folder, "wav", "s0-u0.wav"));
    writeFileSync(join(folder, "model.onnx"), "");
    const model = ["xvector.toolkit=onnx", "+xvector.pretrained_model=model.onnx"];
    const { status, stdout } = millrace(folder, "xvector", "xvector.yaml", ...model, "--check");
    expect(stdout).toMatch(/manifest\.tsv:1: there is no file/);
    expect(stdout).toMatch(/\nmodel: onnx, model\.onnx\nmodel: ONNX Runtime cannot load model\.onnx: it is empty;/);
    expect(status).toBe(1);
  });

  it("takes a split as a text, and manifests where ESPnet3's recipes have them", () => {
    const folder = corpus();
    mkdirSync(join(folder, "data"));
    renameSync(join(folder, "wav"), join(folder, "data", "wav"));
    mkdirSync(join(folder, "data", "manifest"));
    const rows = readFileSync(join(folder, "manifest.tsv"), "utf8").replaceAll("\twav/", "\t../wav/");
    writeFileSync(join(folder, "data", "manifest", "valid.tsv"), rows);
    const given = ["xvector", "xvector.yaml", "~xvector.manifest_paths", "+xvector.splits=valid"];
    expect(millrace(folder, ...given)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^valid: 4 embeddings/),
    });
    expect(millrace(folder, ...given.slice(0, 3))).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/data\/manifest\/train\.tsv cannot be read/),
    });
  });

  it("leaves the work to a process in the background with async_mode, and continues from there without it", async () => {
    const folder = corpus();
    const { status, stdout } = millrace(folder, "xvector", "xvector.yaml", "+xvector.async_mode=true");
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^train: .* worker.*\n {2}millrace attach .*out\/tag\/runs\/train\n$/),
    });
    const runDir = join(folder, "out", "tag", "runs", "train");
    await expect.poll(async () => (await runStatus(runDir)).state, { interval: 100 }).toBe("complete");
    const index = join(folder, "out", "tag", "index", "train.tsv");
    expect(readFileSync(index, "utf8").split("\n")).toHaveLength(6);
    const again = millrace(folder, "xvector", "xvector.yaml");
    expect(again).toMatchObject({ status: 0, stdout: expect.stringMatching(/^train: 4 embeddings/) });
    const config = { xvector: JSON.parse(readFileSync(join(folder, "xvector.yaml"), "utf8")).xvector };
    await expect(extractXVectors({ xvector: { ...config.xvector, async_mode: true } })).rejects.toThrow(
      "submitXVectors",
    );
  });

  it("submitXVectors does in code what async_mode does", async () => {
    const folder = corpus();
    const save_path = join(folder, "out");
    const config = { toolkit: "builtin", save_path, manifest_paths: { train: join(folder, "manifest.tsv") } } as const;
    const [submitted] = await submitXVectors({ xvector: { ...config, async_mode: true } });
    expect(submitted).toMatchObject({ split: "train", runDir: join(save_path, "spk_embed", "runs", "train") });
    const state = async () => (await runStatus(submitted!.runDir)).state;
    await expect.poll(state, { interval: 100 }).toBe("complete");
    const written = existsSync(join(save_path, "spk_embed", "train", "s0-u0.pt"));
    expect([written, await extractXVectors({ xvector: config })]).toMatchObject([true, [{ written: 4, failed: 0 }]]);
  });

  it("ends with 3 where utterances were skipped, and lets them be retried once they are fixed", () => {
    const folder = corpus();
    renameSync(join(folder, "wav", "s1-u1.wav"), join(folder, "kept.wav"));
    const skipping = ["xvector", "xvector.yaml", "+runner.on_error=skip"];
    expect(millrace(folder, ...skipping)).toMatchObject({ status: 3, stdout: expect.stringContaining("1 failed") });
    renameSync(join(folder, "kept.wav"), join(folder, "wav", "s1-u1.wav"));
    expect(millrace(folder, "retry", "out/tag/runs/train")).toMatchObject({ status: 0 });
    expect(millrace(folder, ...skipping)).toMatchObject({ status: 0, stdout: expect.stringContaining("4 embeddings") });
  });

  it("refuses a config that is wrong with its place and the nearest key", () => {
    const folder = corpus();
    expect(millrace(folder, "xvector", "xvector.yaml", "+xvector.batchsize=3")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/xvector\.batchsize is not known[\s\S]*Did you mean batch_size/),
    });
    expect(millrace(folder, "xvector", "xvector.yaml", "xvector.toolkit=onnx")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("pretrained_model is missing"),
    });
  });
});

describe("docs/xvectors.md", () => {
  const page = readFileSync(join(repository, "docs", "xvectors.md"), "utf8");
  const blocks = (language: string) =>
    [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, text]) => text!);

  it("has a config, commands and a program that work as they stand", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "data", "manifest"), { recursive: true });
    for (const split of ["train", "test"]) {
      const manifest = makeVoices(join(folder, "data", "manifest"), { speakers: 2, utterances: 2 });
      renameSync(manifest, join(folder, "data", "manifest", `${split}.tsv`));
    }
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repository, join(folder, "node_modules", "millrace"));
    writeFileSync(join(folder, "package.json"), "{}");
    const [yaml] = blocks("yaml");
    writeFileSync(join(folder, "xvector.yaml"), yaml!);
    for (const line of blocks("sh")[0]!.trim().split("\n")) {
      const [name, ...args] = line.split(" ");
      expect(name).toBe("millrace");
      expect(millrace(folder, ...args)).toMatchObject({ status: 0 });
    }
    const tag = join(folder, "data", "x_vectors", "mfcc-statistics");
    expect(readFileSync(join(tag, "index", "test.tsv"), "utf8").split("\n")).toHaveLength(6);
    const npz = openNpz(join(folder, "data", "x_vectors", "as-npz", "train.npz"));
    expect(npz.names).toHaveLength(4);
    npz.close();
    const [example] = blocks("ts");
    writeFileSync(join(folder, "example.mts"), example!);
    expect(diagnose(join(folder, "example.mts"))).toEqual([]);
    writeFileSync(join(folder, "example.mjs"), transpile(example!));
    const { stdout, stderr } = spawnSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^train 4 0 [\d.]+\ntest 4 0 [\d.]+\n$/),
      stderr: "",
    });
  });

  it("has a section about models in which every key is known, and none is missing", () => {
    const folder = corpus();
    const [, model] = blocks("yaml");
    writeFileSync(join(folder, "model.yaml"), `defaults: [xvector]\nxvector:\n${model!.replace(/^/gm, "  ")}`);
    // The config is taken; the built-in model, which it is not for, then refuses its features.
    expect(millrace(folder, "xvector", "model.yaml", "--check").stdout).toMatch(
      / 0 problems\nmodel: builtin, cpu\nmodel: the built-in model takes 24 features/,
    );
    const keys = [...model!.matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key);
    const { stderr } = millrace(folder, "xvector", "model.yaml", "+xvector.model.nonsense=1", "--check");
    const [, valid] = /Valid: (.*)\.$/m.exec(stderr)!;
    expect(keys.sort()).toEqual(valid!.split(", ").sort());
  });
});
