// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { emptyFolder, makeProject, program, start } from "../support/cli/project.ts";
import { makeVoices } from "../support/recipes/voices.ts";

const recipes = fileURLToPath(new URL("../fixtures/configs/recipes", import.meta.url));

/** A tree of recipes with audio for one of them. */
function recipeFolder(): string {
  const folder = emptyFolder();
  cpSync(recipes, folder, { recursive: true });
  const recipe = join(folder, "egs3/small_talk/voice");
  const manifests = join(recipe, "data/manifest");
  mkdirSync(manifests, { recursive: true });
  makeVoices(manifests, { speakers: 2, utterances: 2 });
  for (const split of ["train", "test"]) cpSync(join(manifests, "manifest.tsv"), join(manifests, `${split}.tsv`));
  return recipe;
}

const millrace = (cwd: string, ...words: string[]) => start([process.execPath, program, ...words], cwd).ended;

describe.concurrent("a command reads the sections that it uses, and no others", () => {
  const broken =
    "\nunused:\n  dir: ${oc.env:MILLRACE_TEST_NOT_SET}\n  size: ???\n  other: ${nope}\nleft: ${unused.size}\n";

  it.each([["plan"], ["doctor"]])("%s says nothing of values that it does not need", async (command) => {
    const project = makeProject();
    writeFileSync(project.path("job.yaml"), `${project.text("job.yaml")}${broken}`);
    expect(await project.run(command, "job.yaml")).toMatchObject({ status: 0 });
  });

  it("plan names the place of a value that it needs", async () => {
    const project = makeProject();
    writeFileSync(project.path("job.yaml"), project.text("job.yaml").replace("shards: 4", "shards: ???"));
    expect(await project.run("plan", "job.yaml")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/job\.yaml:15:3: runner\.shards is \?\?\?: it has to be given/),
    });
  });

  it("xvector takes its section from the config of a recipe, over the template", async () => {
    const recipe = recipeFolder();
    const config = join("conf", "training.yaml");
    writeFileSync(join(recipe, config), `${broken}xvector:\n  spk_embed_tag: mine\n`);
    const checked = await millrace(recipe, "xvector", config, "--check");
    expect(checked).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^train: 4 .*\ntest: 4 .*\nmodel: builtin/),
    });
    const { status, stdout } = await millrace(recipe, "xvector", config, "--json");
    const [train] = JSON.parse(stdout) as { vectors: string }[];
    expect([status, train!.vectors]).toEqual([0, join(recipe, "data/x_vectors/mine/train")]);
  });

  it("xvector names the file of the template for a value that is missing there", async () => {
    const recipe = recipeFolder();
    const template = join(dirname(dirname(recipe)), "TEMPLATE/voice/conf/training.yaml");
    writeFileSync(template, "xvector:\n  toolkit: builtin\n  save_path: ???\n  manifest_paths: {a: a.tsv}\n");
    writeFileSync(join(recipe, "conf/training.yaml"), "");
    expect(await millrace(recipe, "xvector", "conf/training.yaml", "--check")).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/TEMPLATE\/voice\/conf\/training\.yaml:3:3: xvector\.save_path is \?\?\?/),
    });
  });
});
