// docs/from-espnet3.md says "=" only of what a test compares: each such row has its tests here, by their titles.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { testTitles } from "./support/test-titles.ts";

const page = new URL("../docs/from-espnet3.md", import.meta.url);

/** Titles of tests, by the file below `test/` that they are in. */
type Proof = Readonly<Record<string, readonly string[]>>;

const resolvers = "unit/config/espnet3-resolvers";
const template = "unit/config/recipe-template";
const parallel = "unit/config/parallel";
const statsPage = "integration/seed-pages/collect-stats-runner";
const runnerPage = "integration/seed-pages/base-runner";
const prepPage = "integration/seed-pages/data-preparation";
const xvectorPage = "integration/seed-pages/x-vectors";
const besideOmegaConf: Proof = { "integration/config-recipes": ["agree on all values of %s.yaml"] };

/** The tests of each row that is marked "=", by its first cell. */
const proofs: Readonly<Record<string, Proof>> = {
  "`self.config`, `self.params`": { [xvectorPage]: ["the skeleton of a new task works as it is, in workers too"] },
  "env is a dict, keys become arguments of `forward`": {
    [prepPage]: ["what the provider returns is what forward gets"],
  },
  "`params={...}` merged into the env": {
    "unit/contract/inference-provider": ["builds an env of dataset, model and params"],
  },
  "`output_dir` and `shard_subdir` of the runner are in the env": {
    "integration/run-place": ["forward finds outputDir and shardSubdir in the env"],
  },
  "`provider`": { [runnerPage]: ["a runner takes provider, batch size, output folder, sub-folder and resume"] },
  "`shard_subdir`": { [runnerPage]: ["the sub-folder holds the shards and the manifest"] },
  "`forward(idx, dataset, model, **env)` static": { [runnerPage]: ["forward is static and needs no instance"] },
  "`finalize_state(state, **env)`": {
    "integration/hooks": ["may be overridden in part: reduceState and finalizeState"],
  },
  "`env`, `n_workers`, `options`": {
    [prepPage]: ["the page's parallel section is read and accepted as it is written"],
  },
  "`env: local` with `n_workers` above 1: that many workers (before September 2026 it was ignored)": {
    [parallel]: ["takes several local workers for processes, and one for this process"],
    "integration/named-functions": ["forward and the provider know which worker they are in"],
  },
  "`env: local` with `n_workers: 1`": {
    [parallel]: ["takes several local workers for processes, and one for this process"],
    "integration/named-functions": [
      "a function without a module works, and there is one worker, which is this process",
    ],
  },
  "`set_parallel(None)` keeps the setting": {
    [parallel]: ["keeps the setting with %s, the section of a config that has none"],
  },
  "`slurm`, `pbs`, `sge`, `lsf`, `htcondor`, `oar`, `moab`, `ssh`, `kube`": { [parallel]: ["takes the env %s"] },
  "dask-jobqueue's options": {
    "unit/launchers/jobs/job-options": ["are read by dask-jobqueue's names", "refuse %s, with the reason"],
  },
  "`output_dir/shard_subdir/split.N/`": {
    [runnerPage]: ["files of the shards are written below the output folder"],
  },
  "`CollectStatsRunner(provider, output_dir, mode, write_collected_feats)`": {
    [statsPage]: ["it takes a provider, an output folder, a mode and whether features are kept"],
  },
  "`collect_stats(...)`": { "integration/collect-stats-options": ["takes a dataset and a model as they are"] },
  "`collect_stats_batch()`": { [statsPage]: ["a batch is what collect_stats_batch makes of it"] },
  "env keys `dataset`, `model`, `collate_fn`, `write_collected_feats`, `collect_stats_kwargs`": {
    [statsPage]: ["a collate function of your own gives ids and a batch"],
    "integration/collect-stats-options": ["says so where the env does not hand writeCollectedFeats on"],
    "unit/recipes/collect-stats/collect-stats-batch": [
      "come with the features where these are kept, cut, and with their lengths as int64",
      "hand collectStatsKwargs on to the model together with the batch",
    ],
  },
  "`model.collect_feats(**batch)`": { [statsPage]: ["the model's collect_feats is called with the collated batch"] },
  "`{key}_stats.npz`, `{key}_shape`, `stats_keys`, `collect_feats/{key}.scp`, `collect_feats/{key}_lengths.scp`": {
    [statsPage]: [
      "each shard keeps its own metadata, and the merge is in the folder of the mode",
      "features are kept if they are asked for",
      "lengths of kept features are listed in {key}_lengths.scp",
    ],
  },
  "of a shard: `shape_keys.txt`, `feat_keys_written.txt`, `stats_keys.txt`": {
    "integration/collect-stats": ["leave in each shard the files that ESPnet3 leaves"],
  },
  "`cleaner`, `output_dir` as params": {
    [prepPage]: [
      "a cleaner is a function among the params, in workers too",
      "further arguments come from the provider's params",
    ],
  },
  "`device` (null: CUDA where it is), `spk_embed_tag`, `save_path`, `batch_size`": {
    "unit/recipes/xvector/xvector-config": ["is taken as ESPnet3 has it"],
    "unit/recipes/xvector/open-on-device": [
      "is the GPU where there is one, and none is named",
      "is the CPU where there is no GPU",
    ],
    [xvectorPage]: ["vectors are in save_path/tag/split, one float32 tensor an utterance"],
  },
  "`manifest_paths` (default `data/manifest/SPLIT.tsv`), `splits` (a list or a text)": {
    "integration/xvector-cli": ["takes a split as a text, and manifests where ESPnet3's recipes have them"],
  },
  "`async_mode`": {
    "integration/xvector-cli": [
      "leaves the work to a process in the background with async_mode, and continues from there without it",
      "submitXVectors does in code what async_mode does",
    ],
  },
  "`XVectorProvider`, `_load_manifest`": {
    "integration/xvector-outputs": ["can be done with the provider and the runner themselves, as in ESPnet3"],
    [xvectorPage]: ["manifests are read by a function that is yours to call"],
  },
  "`input_key`, `output_fn`, `idx_key`, `hyp_key`, `ref_key`, `model_kwargs`": {
    "unit/recipes/inference/call-model": [
      "gets what the input keys name, and its further arguments, in one object",
      "has its output made by outputFn, which sees the item",
    ],
    "integration/inference": ["takes other names for ids, hypotheses and references"],
  },
  "`output_keys` (a list or a text), `output_artifacts` with `type`, `sample_rate`": {
    "integration/infer": ["takes a provider of the project, a single output key, and options of the runner"],
    "unit/recipes/inference/inference-writer": ["are written as outputArtifacts say"],
  },
  "an empty dataset, empty `output_keys`, an output with only an id are errors": {
    "integration/infer": ["refuses %s before anything is decoded"],
    "unit/recipes/inference/inference-writer": ["are refused before anything is written: %s"],
  },
  "a recipe's config is merged over that of `TEMPLATE`: sections key by key, lists and values replaced": {
    [template]: ["is merged over the template of its system", "of %s is %s"],
  },
  "a config that is a link, or that has only comments": {
    [template]: [
      "that is a link has the name of the link, and the template of its place",
      "without anything but comments is its template",
    ],
  },
  "`key:` without a value in the template and a section in the recipe, and the other way round (`optimizer: null`)": {
    [template]: ["replaces a section of the template with null, and null with a section"],
  },
  "a list in the template and a section in the recipe": {
    [template]: ["names the file of the template where a section meets a list"],
  },
  "`${self_name:}`, bound to the recipe's config in the template too": {
    [template]: ["gives the template its own name as self_name"],
  },
  "`${config_path:…}`, relative to the file it is written in": {
    [resolvers]: ["is the absolute path, from the folder of the file in which it is written"],
  },
  "`${set_corpus_and_system:}`": { [resolvers]: ["joins the names of the folders of a recipe"] },
  "a resolver's path that is made of other values": {
    [resolvers]: [
      "leaves absolute paths alone, and paths that are made of other values",
      "are relative to the working directory where the path is made of other values",
    ],
  },
  "`${a.b}` in texts, in lists, of whole sections (`collate_fn: ${dataloader.collate_fn}`)": besideOmegaConf,
  "`defaults:` with files beside the config, `_self_`, groups, `{ group: null }`": {
    "unit/config/defaults-list": [
      "loads configs and groups, relative to the config that names them",
      "puts the config where _self_ is",
      "takes null as a place for a later choice, and optional as permission to be absent",
    ],
  },
  "nested lists, flow and block style, quoted globs, `\\U` escapes, `1.0e-9`, `a:b` as a text": besideOmegaConf,
  "`???`, and a value that cannot be resolved, in a section that nothing reads": {
    "integration/cli-lazy-configs": ["%s says nothing of values that it does not need"],
    "unit/config/lazy-values": [
      "has all values that can be resolved, whatever is wrong with the others",
      "throws where it is read, with its place: %s",
    ],
  },
  "`_recursive_: false`, `_partial_`": {
    "unit/config/instantiate": [
      "leaves nested objects as they are with _recursive_: false",
      "waits for more with _partial_",
    ],
  },
};

/** The rows of the page's tables with three cells: what ESPnet3 has, what is here, and how they compare. */
function readRows(): { readonly theirs: string; readonly mark: string }[] {
  const lines = readFileSync(page, "utf8").split("\n");
  return lines.flatMap((line, at) => {
    const row = /^\| (.*?) \| .* \| (\S*) ?\|$/.exec(line);
    const isHead = [line, lines[at + 1] ?? ""].some((one) => one.startsWith("| --- |"));
    return row === null || isHead ? [] : [{ theirs: row[1]!, mark: row[2]! }];
  });
}

describe("the page for those who come from ESPnet3", () => {
  const rows = readRows();

  it("marks every row of its tables", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ mark }) => !["=", "+", "≠", "–"].includes(mark))).toEqual([]);
  });

  it('has a test for each row that it marks "=", and no row twice', () => {
    const same = rows.filter(({ mark }) => mark === "=").map(({ theirs }) => theirs);
    expect(same.toSorted()).toEqual(Object.keys(proofs).toSorted());
  });

  it.each(Object.entries(proofs))("names tests that run for %s", (_row, proof) => {
    for (const [file, titles] of Object.entries(proof)) {
      const found = testTitles(new URL(`./${file}.test.ts`, import.meta.url));
      expect(found).toEqual(expect.arrayContaining([...titles]));
    }
  });
});
