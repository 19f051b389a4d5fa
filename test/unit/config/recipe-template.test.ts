// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { positionOf } from "../../../src/config/position-of.ts";
import { templateOf } from "../../../src/config/recipe-template.ts";
import { writeFiles } from "../../support/write-files.ts";

const tree = (files: Readonly<Record<string, string>>) =>
  realpathSync(writeFiles(Object.fromEntries(Object.entries(files).map(([name, text]) => [`egs3/${name}`, text]))));

const template = {
  "TEMPLATE/asr/conf/training.yaml":
    "exp: ${self_name:}\ndir: ./exp/${exp}\nmodel:\nlist: [1, 2]\nopt: {lr: 1, b: 2}\n",
};

describe("a config of a recipe", () => {
  it("is merged over the template of its system", async () => {
    const folder = tree({
      ...template,
      "talk/asr/conf/training.yaml": "exp: mine\nmodel: {n: 1}\nlist: [3]\nopt: {lr: 4}\n",
    });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training.yaml"));
    expect(config).toEqual({ exp: "mine", dir: "./exp/mine", model: { n: 1 }, list: [3], opt: { lr: 4, b: 2 } });
  });

  it("replaces a section of the template with null, and null with a section", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "opt: null\nmodel: {n: 1}\n" });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training.yaml"));
    expect(config).toMatchObject({ opt: null, model: { n: 1 } });
  });

  it("gives the template its own name as self_name", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training_tiny.yaml": "" });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training_tiny.yaml"));
    expect(config).toMatchObject({ exp: "training_tiny", dir: "./exp/training_tiny" });
  });

  it("can be changed by overrides wherever a value comes from", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "" });
    const path = join(folder, "egs3/talk/asr/conf/training.yaml");
    expect(await loadConfig(path, ["opt.lr=9", "~list"])).toMatchObject({ opt: { lr: 9, b: 2 } });
  });

  it("says of each value in which file it was written", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "opt: {lr: 4}\n" });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training.yaml"));
    expect(positionOf(config, "opt.lr")?.source).toContain("egs3/talk/asr");
    expect(positionOf(config, "opt.b")?.source).toContain("egs3/TEMPLATE/asr");
  });

  it("reports the template to a command before its values are used, so that it asks for trust", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "" });
    const onRead = (path: string) => {
      throw new Error(`not trusted: ${path}`);
    };
    const path = join(folder, "egs3/talk/asr/conf/training.yaml");
    await expect(loadConfig(path, [], { onRead })).rejects.toThrow(
      /not trusted: \S+TEMPLATE\/asr\/conf\/training\.yaml/,
    );
  });

  it("names the file of the template where a section meets a list", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "list: {a: 1}\n" });
    await expect(loadConfig(join(folder, "egs3/talk/asr/conf/training.yaml"))).rejects.toThrow(
      /talk\/asr\/conf\/training\.yaml:1:1: list is a section here and a list in \S+TEMPLATE\/asr\/conf\/training\.yaml:4:1/,
    );
  });

  it("whose name begins with that of no template says so where it needs a key of one", async () => {
    const folder = tree({
      ...template,
      "TEMPLATE/asr/conf/inference.yaml": "dir: x\n",
      "talk/asr/conf/tiny/fine-tune.yaml": "dir: ${exp}/hf\n",
    });
    const path = join(folder, "egs3/talk/asr/conf/tiny/fine-tune.yaml");
    await expect(loadConfig(path)).rejects.toMatchObject({
      hint: expect.stringContaining(
        "merged over no template of its recipe, because its name begins with none of theirs: inference, training.",
      ),
    });
    const training = join(folder, "egs3/TEMPLATE/asr/conf/training.yaml");
    expect(await loadConfig(path, [], { template: training })).toMatchObject({ dir: "fine-tune/hf" });
  });

  it("that is a link has the name of the link, and the template of its place", async () => {
    const folder = tree({ ...template, "talk/asr/conf/tuning/training_large.yaml": "dir: ./exp/${exp}\n" });
    const link = join(folder, "egs3/talk/asr/conf/training.yaml");
    symlinkSync("tuning/training_large.yaml", link);
    expect(await loadConfig(link)).toMatchObject({ exp: "training", dir: "./exp/training", opt: { lr: 1 } });
  });

  it("without anything but comments is its template", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "# All of it is in the template.\n" });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training.yaml"));
    expect(config).toMatchObject({ exp: "training", model: null, list: [1, 2] });
  });

  it("merges what it includes over the template too, in the order of its defaults list", async () => {
    const folder = tree({
      ...template,
      "talk/asr/conf/training_serial.yaml": "opt: {lr: 2, b: 3}\n",
      "talk/asr/conf/training_parallel.yaml": "defaults:\n  - training_serial\n  - _self_\nopt:\n  lr: 5\n",
    });
    const config = await loadConfig(join(folder, "egs3/talk/asr/conf/training_parallel.yaml"));
    expect(config).toMatchObject({ exp: "training_parallel", opt: { lr: 5, b: 3 } });
  });

  it("is read alone with template: null, and takes another file as a template anywhere", async () => {
    const folder = tree({ ...template, "talk/asr/conf/training.yaml": "a: 1\n" });
    const path = join(folder, "egs3/talk/asr/conf/training.yaml");
    expect(await loadConfig(path, [], { template: null })).toEqual({ a: 1 });
    const other = writeFiles({ "base.yaml": "a: 0\nn: ${self_name:}\n", "c.yaml": "a: 2\n" });
    expect(await loadConfig(join(other, "c.yaml"), [], { template: join(other, "base.yaml") })).toEqual({
      a: 2,
      n: "c",
    });
    await expect(loadConfig(join(other, "c.yaml"), [], { template: join(other, "bse.yaml") })).rejects.toThrow(
      /bse\.yaml: There is no such file\.\n {2}-> Did you mean \S+base\.yaml\?/,
    );
  });
});

describe("the template of a config", () => {
  it.each([
    ["egs3/talk/asr/conf/training.yaml", "egs3/TEMPLATE/asr/conf/training.yaml"],
    ["egs3/talk/asr/conf/training_small.yaml", "egs3/TEMPLATE/asr/conf/training.yaml"],
    ["egs3/talk/asr/conf/tuning/training_small.yaml", "egs3/TEMPLATE/asr/conf/training.yaml"],
    ["egs3/talk/asr/conf/training_tokenizer_v2.yaml", "egs3/TEMPLATE/asr/conf/training_tokenizer.yaml"],
    ["egs3/group/talk/asr/conf/training.yaml", "egs3/TEMPLATE/asr/conf/training.yaml"],
    ["egs3/talk/asr/conf/trainings.yaml", undefined],
    ["egs3/talk/tts/conf/training.yaml", undefined],
    ["egs3/TEMPLATE/asr/conf/training.yaml", undefined],
    ["egs3/conf/training.yaml", undefined],
    ["other/talk/asr/conf/training.yaml", undefined],
  ])("of %s is %s", (path, expected) => {
    const folder = tree({
      "TEMPLATE/asr/conf/training.yaml": "",
      "TEMPLATE/asr/conf/training_tokenizer.yaml": "",
      "talk/asr/conf/training.yaml": "",
    });
    expect(templateOf(join(folder, path))?.slice(folder.length + 1)).toBe(expected);
  });
});
