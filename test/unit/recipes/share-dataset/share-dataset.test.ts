import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { shareDataset } from "../../../../src/recipes/share-dataset/share-dataset.ts";
import { startFakeHub } from "../../../support/recipes/fake-upload-hub.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function makeDataset(): string {
  const dir = join(temporaryFolder(), "corpus");
  mkdirSync(join(dir, "split.0", "audio"), { recursive: true });
  mkdirSync(join(dir, ".machinery"));
  writeFileSync(join(dir, "hyp.scp"), "a one\n");
  writeFileSync(join(dir, "split.0", "audio", "a.wav"), "w".repeat(3000));
  writeFileSync(join(dir, ".machinery", "secret"), "x");
  writeFileSync(join(dir, "half.tmp"), "x");
  return dir;
}

const namesIn = (dir: string) => (readdirSync(dir, { recursive: true }) as string[]).sort();

describe("a dataset that is shared to a folder", () => {
  it("is there with its card, and without hidden and unfinished files", async () => {
    const dir = makeDataset();
    const folder = join(temporaryFolder(), "deep", "shared");
    expect(await shareDataset(dir, { folder })).toEqual({ place: folder, files: 2, bytes: 3006 });
    expect(namesIn(folder)).toEqual([
      ".shared-dataset.json",
      "README.md",
      "hyp.scp",
      "split.0",
      "split.0/audio",
      "split.0/audio/a.wav",
    ]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toBe(
      '---\npretty_name: "corpus"\ntags:\n- millrace\n---\n\n# corpus\n\n2 files, 3006 bytes.\n\n' +
        "| kind | files | bytes |\n| --- | --- | --- |\n| .scp | 1 | 6 |\n| .wav | 1 | 3000 |\n",
    );
    expect(existsSync(join(dir, "README.md"))).toBe(false);
    expect(readdirSync(join(folder, ".."))).toEqual(["shared"]);
  });

  it("has the card it is given, or its own", async () => {
    const dir = makeDataset();
    writeFileSync(join(dir, "README.md"), "own\n");
    const [one, two, three] = ["1", "2", "3"].map((name) => join(temporaryFolder(), name)) as [string, string, string];
    await shareDataset(dir, { folder: one });
    await shareDataset(dir, { folder: two }, { card: "given\n" });
    await shareDataset(dir, { folder: three }, { card: async ({ name, files }) => `${name} ${files.length}\n` });
    expect([one, two, three].map((folder) => readFileSync(join(folder, "README.md"), "utf8"))).toEqual([
      "own\n",
      "given\n",
      "corpus 3\n",
    ]);
    await expect(shareDataset(dir, { folder: join(one, "x") }, { card: " " })).rejects.toThrow(
      "The card of a dataset is empty.",
    );
  });

  it("replaces what was shared there, and only that, and only on demand", async () => {
    const dir = makeDataset();
    const folder = join(temporaryFolder(), "shared");
    mkdirSync(folder);
    await shareDataset(dir, { folder });
    await expect(shareDataset(dir, { folder })).rejects.toThrow(
      /holds a shared dataset already.*\n {2}-> Pass replace/,
    );
    await shareDataset(dir, { folder, replace: true }, { include: (path) => path.endsWith(".scp") });
    expect(namesIn(folder)).toEqual([".shared-dataset.json", "README.md", "hyp.scp"]);
    expect(readdirSync(join(folder, ".."))).toEqual(["shared"]);
    const foreign = temporaryFolder();
    writeFileSync(join(foreign, "thesis.txt"), "");
    await expect(shareDataset(dir, { folder: foreign, replace: true })).rejects.toThrow(
      "it holds something that was not shared",
    );
    await expect(shareDataset(dir, { folder: join(foreign, "thesis.txt") })).rejects.toThrow("it is not a folder");
    expect(namesIn(foreign)).toEqual(["thesis.txt"]);
  });

  it("follows no link out of its folder", async () => {
    const dir = makeDataset();
    const folder = join(temporaryFolder(), "shared");
    symlinkSync("hyp.scp", join(dir, "again.scp"));
    await shareDataset(dir, { folder });
    expect(readFileSync(join(folder, "again.scp"), "utf8")).toBe("a one\n");
    symlinkSync("/etc/hostname", join(dir, "out"));
    await expect(shareDataset(dir, { folder, replace: true })).rejects.toThrow(
      /out cannot be shared: it is a link to .*outside/,
    );
    const others = { include: (path: string) => path !== "out" };
    symlinkSync("/etc", join(dir, "folder"));
    await expect(shareDataset(dir, { folder, replace: true }, others)).rejects.toThrow("outside of the folder");
    expect(readdirSync(join(folder, ".."))).toEqual(["shared"]);
  });

  it("lies neither in its source nor around it, and there is something to share", async () => {
    const dir = makeDataset();
    await expect(shareDataset(dir, { folder: join(dir, "copy") })).rejects.toThrow("lie in each other");
    await expect(shareDataset(join(dir, "split.0"), { folder: dir })).rejects.toThrow("lie in each other");
    await expect(shareDataset(temporaryFolder(), { folder: "x" })).rejects.toThrow("There is nothing to share");
    await expect(shareDataset(join(dir, "none"), { folder: "x" })).rejects.toThrow("There is no folder");
  });
});

describe("a dataset that is shared to a hub (a fake of one)", () => {
  beforeEach(() => vi.stubEnv("HF_TOKEN", "hf_verysecret"));
  afterEach(() => vi.unstubAllEnvs());

  it("is uploaded whole, large files and small ones, the card last", async () => {
    const hub = await startFakeHub();
    const dir = makeDataset();
    const target = { repo: "me/corpus", hubUrl: hub.url, visibility: "private" } as const;
    const { place, files } = await shareDataset(dir, target, { card: "---\n---\n# Card\n" });
    expect({ place, files }).toEqual({ place: `${hub.url}/datasets/me/corpus/commit/2`, files: 2 });
    expect(hub.files).toEqual(
      new Map([
        ["hyp.scp", "a one\n"],
        ["split.0/audio/a.wav", "w".repeat(3000)],
        ["README.md", "---\n---\n# Card\n"],
      ]),
    );
    expect(hub.commits).toEqual([
      { title: "Upload corpus (1 of 2)", paths: ["hyp.scp", "split.0/audio/a.wav"] },
      { title: "Upload corpus (2 of 2)", paths: ["README.md"] },
    ]);
    // What has arrived is not sent again, and a repository that is there is no mistake.
    await shareDataset(dir, target, { card: "# Other\n" });
    expect(hub.requests.filter((request) => request.startsWith("PUT /store/")).length).toBe(1);
    expect(hub.files.get("README.md")).toBe("# Other\n");
  });

  it("is cut into commits of at most 500 files", async () => {
    const hub = await startFakeHub();
    const dir = temporaryFolder();
    for (let i = 0; i < 501; i++) writeFileSync(join(dir, `${i}.txt`), `${i}`);
    await shareDataset(dir, { repo: "me/corpus", hubUrl: hub.url, create: false, message: "All" });
    expect(hub.commits.map(({ title, paths }) => [title, paths.length])).toEqual([
      ["All (1 of 3)", 500],
      ["All (2 of 3)", 1],
      ["All (3 of 3)", 1],
    ]);
    expect(hub.requests).not.toContain("POST /api/repos/create");
  });

  it("does not reveal the token, whatever the hub answers", async () => {
    const hub = await startFakeHub({ refuse: 403 });
    const error = await shareDataset(makeDataset(), { repo: "me/corpus", hubUrl: hub.url }).catch((thrown) => thrown);
    expect(hub.tokens).toEqual(new Set(["Bearer hf_verysecret"]));
    expect(error).toMatchObject({ code: "UPLOAD_FAILED", hint: expect.stringContaining("HF_TOKEN") });
    expect(error.message).toContain("hf_…");
    expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain("verysecret");
  });

  it("needs a token and a repository", async () => {
    const dir = makeDataset();
    await expect(shareDataset(dir, { repo: "corpus" })).rejects.toThrow('"corpus" is no repository.');
    vi.stubEnv("HF_TOKEN", "");
    await expect(shareDataset(dir, { repo: "me/corpus" })).rejects.toThrow("HF_TOKEN is not set.");
    vi.stubEnv("HF_TOKEN", "verysecret");
    const error = await shareDataset(dir, { repo: "me/corpus" }).catch((thrown) => thrown);
    expect(error.message).toContain("HF_TOKEN holds no token of the hub.");
    expect(error.message).not.toContain("verysecret");
  });
});
