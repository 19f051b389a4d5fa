import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { encodePt } from "../../../../src/formats.ts";
import { hubSettings } from "../../../../src/hub/hub-settings.ts";
import { encodeBuiltinModel } from "../../../../src/recipes/xvector/builtin-model.ts";
import { findModel } from "../../../../src/recipes/xvector/model/find-model.ts";
import type { XVectorSection } from "../../../../src/recipes/xvector/xvector-config.ts";
import { hyperparams, numbers, weights } from "../../../support/checkpoints/small-xvector.ts";
import { commit, startFakeHub } from "../../../support/recipes/fake-download-hub.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const bytes = encodeBuiltinModel();
const sha256 = createHash("sha256").update(bytes).digest("hex");

function section(changed: Partial<XVectorSection>): XVectorSection {
  return { toolkit: "onnx", save_path: "out", manifest_paths: {}, ...changed };
}

/** Has the hub's variables say something for the length of a test. */
function inEnvironment(variables: Readonly<Record<string, string>>): void {
  for (const name of ["HF_ENDPOINT", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"])
    vi.stubEnv(name, variables[name] ?? "");
}

beforeEach(() => () => vi.unstubAllEnvs());

describe("a model on disk", () => {
  it("is found by its path, or as the only ONNX file of a folder", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "spk.onnx");
    writeFileSync(path, bytes);
    expect(await findModel(section({ pretrained_model: path }))).toEqual({ path, sha256 });
    expect(await findModel(section({ pretrained_model: folder }))).toEqual({ path, sha256 });
    writeFileSync(join(folder, "other.onnx"), bytes);
    await expect(findModel(section({ pretrained_model: folder }))).rejects.toThrow(/several ONNX files/);
    expect(await findModel(section({ pretrained_model: folder, model_file: "spk.onnx" }))).toEqual({ path, sha256 });
  });

  it("is refused where its checksum is not the one the config names", async () => {
    const path = join(temporaryFolder(), "spk.onnx");
    writeFileSync(path, bytes);
    expect(await findModel(section({ pretrained_model: path, sha256 }))).toEqual({ path, sha256 });
    const wrong = "0".repeat(64);
    await expect(findModel(section({ pretrained_model: path, sha256: wrong }))).rejects.toThrow(/has the SHA-256/);
  });

  it("that is not there, or holds weights for PyTorch, is said to", async () => {
    await expect(findModel(section({ pretrained_model: "no/such.onnx" }))).rejects.toThrow(
      /no model file no\/such.onnx/,
    );
    const folder = temporaryFolder();
    for (const [name, message] of [
      ["model.safetensors", /weights without a model[\s\S]*Export/],
      ["embedding_model.ckpt", /PyTorch without their configuration[\s\S]*Name the folder/],
      ["model.pth", /model\.pth, offset/],
    ] as const) {
      writeFileSync(join(folder, name), bytes);
      await expect(findModel(section({ pretrained_model: join(folder, name) }))).rejects.toThrow(message);
    }
  });

  it("that is a checkpoint is refused where the config says otherwise", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "hyperparams.yaml"), hyperparams);
    writeFileSync(join(folder, "embedding_model.ckpt"), encodePt(weights));
    const wanted = section({ toolkit: "speechbrain", pretrained_model: folder });
    vi.stubEnv("XDG_CACHE_HOME", temporaryFolder());
    expect(await findModel(wanted)).toMatchObject({ path: join(folder, "embedding_model.ckpt") });
    await expect(findModel({ ...wanted, toolkit: "espnet" })).rejects.toThrow(
      /is a checkpoint of speechbrain, but xvector\.toolkit is espnet/,
    );
    await expect(findModel({ ...wanted, model: { sample_rate: 16_000, cmvn: "mean" } })).rejects.toThrow(
      /xvector\.model changes sample_rate, cmvn, which the files of the checkpoint embedding_model\.ckpt say/,
    );
    await expect(findModel({ ...wanted, model: { normalize: "mean_var_norm_emb" } })).rejects.toThrow(
      /has no mean_var_norm_emb\.ckpt/,
    );
    const onnx = join(folder, "spk.onnx");
    writeFileSync(onnx, bytes);
    const normalised = section({ pretrained_model: onnx, model: { normalize: "mean_var_norm_emb" } });
    await expect(findModel(normalised)).rejects.toThrow(/normalize is mean_var_norm_emb, but .*spk\.onnx has none/);
  });

  it("is none for the built-in toolkit, and must be named where a toolkit has none of its own", async () => {
    expect(await findModel(section({ toolkit: "builtin", pretrained_model: "anything" }))).toBeUndefined();
    await expect(findModel(section({ toolkit: "wespeaker" }))).rejects.toMatchObject({ code: "BAD_CONFIG" });
  });
});

describe("a model on the hub", () => {
  it("is fetched once, into the cache that all tools of the hub share, with its checksum beside it", async () => {
    const home = temporaryFolder();
    const hub = await startFakeHub("someone/spk-model", { "README.md": Buffer.from("#"), "onnx/spk.onnx": bytes });
    inEnvironment({ HF_ENDPOINT: `${hub.url}/`, HF_HOME: home });
    const found = await findModel(section({ pretrained_model: "someone/spk-model" }));
    const folder = join(home, "hub", "models--someone--spk-model");
    const path = join(folder, "snapshots", commit, "onnx", "spk.onnx");
    expect(found).toEqual({ path, sha256 });
    expect(readFileSync(path)).toEqual(bytes);
    expect(readFileSync(join(folder, "refs", "main"), "utf8")).toBe(commit);
    expect(readdirSync(join(folder, "blobs"))).toEqual([sha256]);
    expect(readFileSync(`${path}.sha256`, "utf8")).toBe(`${sha256}  spk.onnx\n`);
    const asked = hub.requests.length;
    expect(await findModel(section({ pretrained_model: "someone/spk-model" }))).toEqual(found);
    expect(hub.requests).toHaveLength(asked);
  });

  it("is taken from the cache offline, whichever program put it there", async () => {
    const home = temporaryFolder();
    const snapshot = join(home, "hub", "models--someone--spk-model", "snapshots", "main");
    mkdirSync(snapshot, { recursive: true });
    writeFileSync(join(snapshot, "model.onnx"), bytes);
    inEnvironment({ HF_HOME: home, HF_HUB_OFFLINE: "1" });
    const found = await findModel(section({ pretrained_model: "someone/spk-model" }));
    expect(found).toEqual({ path: join(snapshot, "model.onnx"), sha256 });
  });

  it("that is damaged in the cache is not used", async () => {
    const home = temporaryFolder();
    const hub = await startFakeHub("someone/spk-model", { "spk.onnx": bytes });
    inEnvironment({ HF_ENDPOINT: hub.url, HF_HOME: home });
    const { path } = (await findModel(section({ pretrained_model: "someone/spk-model" })))!;
    writeFileSync(path, "damaged");
    await expect(findModel(section({ pretrained_model: "someone/spk-model" }))).rejects.toThrow(/\.sha256 says/);
  });

  it("says which file to place where when there is no network", async () => {
    const home = temporaryFolder();
    const place = join(home, "hub", "models--someone--spk-model", "snapshots", "main", "spk.onnx");
    const wanted = section({ pretrained_model: "someone/spk-model", model_file: "spk.onnx" });
    inEnvironment({ HF_HOME: home, HF_HUB_OFFLINE: "1" });
    await expect(findModel(wanted)).rejects.toMatchObject({
      code: "BAD_MODEL",
      message: expect.stringContaining("HF_HUB_OFFLINE is set"),
      hint: expect.stringContaining(place),
    });
    // Nothing listens at port 1.
    inEnvironment({ HF_HOME: home, HF_ENDPOINT: "http://127.0.0.1:1" });
    await expect(findModel(wanted)).rejects.toMatchObject({
      message: expect.stringContaining("cannot be fetched"),
      hint: expect.stringContaining("http://127.0.0.1:1/someone/spk-model/resolve/main/spk.onnx"),
    });
    mkdirSync(join(place, ".."), { recursive: true });
    writeFileSync(place, bytes);
    expect(await findModel(wanted)).toEqual({ path: place, sha256 });
  });

  it("that is cut off or changed on its way leaves nothing behind", async () => {
    for (const trouble of [{ cutAt: 100 }, { damages: true }]) {
      const home = temporaryFolder();
      const hub = await startFakeHub("someone/spk-model", { "spk.onnx": bytes }, trouble);
      inEnvironment({ HF_ENDPOINT: hub.url, HF_HOME: home });
      await expect(findModel(section({ pretrained_model: "someone/spk-model" }))).rejects.toThrow(
        /could not be fetched/,
      );
      expect(readdirSync(join(home, "hub", "models--someone--spk-model", "blobs"))).toEqual([]);
    }
  });

  it("that has no ONNX file, or several, or is not there, has an error for each", async () => {
    const home = temporaryFolder();
    const hub = await startFakeHub("someone/torch-only", { "model.ckpt": bytes });
    inEnvironment({ HF_ENDPOINT: hub.url, HF_HOME: home });
    await expect(findModel(section({ pretrained_model: "someone/torch-only" }))).rejects.toThrow(/no ONNX file/);
    await expect(findModel(section({ pretrained_model: "someone/else" }))).rejects.toThrow(/404 RepoNotFound/);
    const two = await startFakeHub("someone/two", { "a.onnx": bytes, "b.onnx": bytes });
    inEnvironment({ HF_ENDPOINT: two.url, HF_HOME: home });
    await expect(findModel(section({ pretrained_model: "someone/two" }))).rejects.toThrow(/a\.onnx, b\.onnx/);
    const missing = section({ pretrained_model: "someone/two", model_file: "c.onnx" });
    await expect(findModel(missing)).rejects.toThrow(/404 EntryNotFound/);
  });

  it("has its statistics of vectors fetched where normalize asks for them, and nothing else", async () => {
    const module = "mean_var_norm_emb: !new:speechbrain.processing.features.InputNormalization\n    std_norm: False\n";
    const withStatistics = hyperparams.replace(
      "modules:\n",
      `${module}modules:\n    mean_var_norm_emb: !ref <mean_var_norm_emb>\n`,
    );
    const files = {
      "hyperparams.yaml": Buffer.from(withStatistics),
      "embedding_model.ckpt": encodePt(weights),
      "mean_var_norm_emb.ckpt": encodePt({ glob_mean: numbers(8) }),
      "classifier.ckpt": bytes,
    };
    const home = temporaryFolder();
    const hub = await startFakeHub("someone/spk", files);
    const fetched = () => hub.requests.filter((one) => one.startsWith("GET /cdn/")).map((one) => one.slice(9));
    inEnvironment({ HF_ENDPOINT: hub.url, HF_HOME: home });
    vi.stubEnv("XDG_CACHE_HOME", temporaryFolder());
    const plain = section({ toolkit: "speechbrain", pretrained_model: "someone/spk" });
    const raw = await findModel(plain);
    expect(fetched()).toEqual(["hyperparams.yaml", "embedding_model.ckpt"]);
    // The cache has all but the statistics: the hub is asked again, and only for them.
    const normalised = { ...plain, model: { normalize: "mean_var_norm_emb" } } as const;
    const found = await findModel(normalised);
    expect(fetched().slice(2)).toEqual(["mean_var_norm_emb.ckpt"]);
    expect(found!.sha256).not.toBe(raw!.sha256);
    inEnvironment({ HF_HOME: home, HF_HUB_OFFLINE: "1" });
    expect((await findModel(normalised))!.sha256).toBe(found!.sha256);
    const { "mean_var_norm_emb.ckpt": _statistics, ...without } = files;
    const other = await startFakeHub("someone/spk", without);
    inEnvironment({ HF_ENDPOINT: other.url, HF_HOME: temporaryFolder() });
    await expect(findModel(normalised)).rejects.toThrow(/mean_var_norm_emb\.ckpt/);
  });

  it("is asked for with the user's token", async () => {
    const hub = await startFakeHub("someone/spk-model", { "spk.onnx": bytes });
    inEnvironment({ HF_ENDPOINT: hub.url, HF_HOME: temporaryFolder(), HF_TOKEN: "hf_secret" });
    await findModel(section({ pretrained_model: "someone/spk-model" }));
    expect(hub.requests[0]).toMatch(/ Bearer hf_secret$/);
  });
});

describe("hubSettings", () => {
  it("are those that the hub's own tools read", () => {
    expect(hubSettings({ HF_HOME: "/cache" })).toEqual({
      endpoint: "https://huggingface.co",
      cache: join("/cache", "hub"),
      isOffline: false,
      token: undefined,
    });
    expect(hubSettings({ XDG_CACHE_HOME: "/xdg" }).cache).toBe(join("/xdg", "huggingface", "hub"));
    expect(hubSettings({ HF_HOME: "/cache", HF_HUB_CACHE: "/hub" }).cache).toBe("/hub");
    expect(hubSettings({ HF_HUB_OFFLINE: "True" }).isOffline).toBe(true);
    expect(hubSettings({ HF_HUB_OFFLINE: "0" }).isOffline).toBe(false);
  });
});
