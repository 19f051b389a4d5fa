import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { HuggingFaceFile } from "../../../src/datasets/hugging-face/dataset-files.ts";
import { openHuggingFace } from "../../../src/datasets/open-hugging-face.ts";
import { openParquet } from "../../../src/datasets/open-parquet.ts";
import { writeParquetFile } from "../../../src/formats/parquet/parquet-file.ts";
import { commit, type DatasetHub, repo, startDatasetHub } from "../../support/datasets/fake-dataset-hub.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const address = `hf://datasets/${repo}`;
const columns = [
  { name: "id", type: "string" },
  { name: "n", type: "int32" },
  { name: "x", type: "binary" },
] as const;

async function parquet(count: number, first: number): Promise<Buffer> {
  const path = join(temporaryFolder(), "x.parquet");
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `u${first + i}`,
    n: first + i,
    x: Buffer.alloc(20_000, first + i).map((byte, at) => byte ^ (at * 31)),
  }));
  await writeParquetFile(path, rows, { columns, rowsPerGroup: 10 });
  return readFileSync(path);
}

const card =
  "---\nconfigs:\n- config_name: words\n  default: true\n  data_files:\n  - split: train\n    path: data/train-*\n" +
  "  - split: test\n    path: data/test-*\n- config_name: clips\n  data_dir: clips\n---\n# A corpus\n";

async function corpus(): Promise<DatasetHub> {
  return startDatasetHub({
    "README.md": card,
    "data/train-00000-of-00002.parquet": await parquet(25, 0),
    "data/train-00001-of-00002.parquet": await parquet(25, 25),
    "data/test-00000-of-00001.parquet": await parquet(5, 100),
    "clips/one.wav": Buffer.alloc(3_000, 1),
    "clips/two.wav": Buffer.alloc(500, 2),
    "clips/empty.wav": "",
    "clips/metadata.jsonl":
      '{"file_name":"one.wav","text":"uno"}\n{"file_name":"two.wav","text":"due"}\n{"file_name":"empty.wav"}\n',
  });
}

/** The same files in a folder. */
function download({ files }: DatasetHub): string {
  const folder = temporaryFolder();
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

/** Rows with their bytes as texts, which are compared much faster. */
async function rowsOf(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const row of rows) list.push(plain(row));
  return list;
}

function plain(row: unknown): unknown {
  const { x, ...rest } = row as { readonly x: Uint8Array };
  return { ...rest, x: Buffer.from(x).toString("base64") };
}

describe("openHuggingFace with a repository of the hub (a fake one)", () => {
  it("gives the rows of the same folder, by the configs and splits of its card", async () => {
    const hub = await corpus();
    const folder = download(hub);
    for (const split of ["train", "test"]) {
      await using remote = await openHuggingFace(address, { split, id: "id" });
      await using local = await openHuggingFace(folder, { split, id: "id" });
      expect(remote.digest).toBe(local.digest);
      expect(await rowsOf(remote)).toEqual(await rowsOf(local));
      expect(await remote.id(3)).toBe(await local.id(3));
      expect((await remote.get([4, 0])).map(plain)).toEqual((await local.get([4, 0])).map(plain));
    }
    await expect(openHuggingFace(address)).rejects.toThrow(/has several splits.*train, test/s);
    await expect(openHuggingFace(address, { config: "none" })).rejects.toThrow(/no config "none".*words, clips/s);
  });

  it("reads only the parts that are asked for, and those once", async () => {
    const hub = await corpus();
    await using rows = await openHuggingFace(address, { split: "train", columns: ["id", "n"] });
    expect(await rows.at(49)).toEqual({ id: "u49", n: 49 });
    const parts = hub.seen.filter(({ path }) => path.includes("parquet"));
    expect(parts.every(({ range }) => range !== undefined)).toBe(true);
    hub.seen.length = 0;
    await using again = await openHuggingFace(address, { split: "train", columns: ["id", "n"] });
    expect(await again.at(49)).toEqual({ id: "u49", n: 49 });
    const ranges = hub.seen.filter(({ path }) => path.includes("parquet")).map(({ range }) => range);
    // The files' versions are asked for; their blocks are on disk.
    expect(new Set(ranges)).toEqual(new Set(["bytes=0-0"]));
  });

  it("gives the bytes of audio files, with and without metadata", async () => {
    const hub = await corpus();
    type Clip = { readonly audio: HuggingFaceFile; readonly text?: string };
    await using clips = await openHuggingFace<Clip>(address, { config: "clips" });
    const [one, empty] = await clips.get([0, 2]);
    expect(one).toEqual({
      audio: { bytes: hub.files.get("clips/one.wav"), path: `${address}@${commit}/clips/one.wav` },
      text: "uno",
    });
    expect(empty?.audio.bytes).toHaveLength(0);
    for (const name of ["README.md", "clips/metadata.jsonl"]) hub.files.delete(name);
    await using bare = await openHuggingFace<Clip>(`${address}/clips`);
    expect([await bare.id(0), await bare.id(2)]).toEqual(["empty.wav", "two.wav"]);
    expect((await bare.at(2)).audio.bytes).toEqual(hub.files.get("clips/two.wav"));
    const folder = temporaryFolder();
    cpSync(join(download(hub), "clips"), folder, { recursive: true });
    await using local = await openHuggingFace<Clip>(folder);
    expect(local.digest).toBe(bare.digest);
  });

  it("reads all files of the commit that the branch has when it is opened, and sends its token to the hub alone", async () => {
    const hub = await corpus();
    await using rows = await openHuggingFace<{ n: number }>(address, { split: "train" });
    expect((await rows.at(30)).n).toBe(30);
    const files = hub.seen.filter(({ path }) => path.includes("/resolve/"));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(({ path }) => !path.includes(`/resolve/${commit}/`))).toEqual([]);
    const authorizations = (host: string) =>
      new Set(hub.seen.filter((one) => one.host === host).map((one) => one.authorization));
    expect(authorizations("hub")).toEqual(new Set(["Bearer hf_only-for-the-hub"]));
    expect(authorizations("files")).toEqual(new Set([undefined]));
  });

  it("tries again what may pass by itself, in the list and in files", async () => {
    const hub = await corpus();
    const failed = new Set<string>();
    hub.answerFirst = ({ url = "" }, response) => {
      if (failed.has(url)) return false;
      failed.add(url);
      if (failed.size % 2 === 0) response.destroy();
      else response.writeHead(503, { "retry-after": "0" }).end();
      return true;
    };
    await using rows = await openHuggingFace(address, { split: "test" });
    expect(rows.length).toBe(5);
    expect(failed.size).toBeGreaterThan(4);
  });

  it("says what is missing: the repository, the rights, the network, the file", async () => {
    const hub = await corpus();
    await expect(openHuggingFace("hf://datasets/me/none")).rejects.toThrow(
      /me\/none cannot be listed: the hub answers 404.*owner, the name, the revision.*HF_TOKEN may read/s,
    );
    await expect(openHuggingFace("hf://datasets/none")).rejects.toThrow(/no address of a dataset on the hub/);
    await expect(openHuggingFace("hf://datasets/me/corpus/../../x")).rejects.toThrow(/no address of a dataset/);
    await expect(openHuggingFace("s3://bucket/corpus")).rejects.toThrow(/neither a folder nor a dataset of the hub/);
    await expect(openParquet(address, { remote: true })).rejects.toThrow(/no address of a file/);
    hub.files.set("clips/metadata.jsonl", Buffer.from('{"file_name":"gone.wav"}\n{"file_name":"../README.md"}\n'));
    await using clips = await openHuggingFace(address, { config: "clips" });
    await expect(clips.get([0])).rejects.toThrow(/gone.wav: the repository has no such file/);
    await expect(clips.get([1])).rejects.toThrow(/outside of its folder/);
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    await expect(openHuggingFace(address)).rejects.toThrow(/HF_HUB_OFFLINE is set/);
  });

  const entry = (path: unknown, size: unknown = 1) => ({ type: "file", path, size });
  it.each<[string, (page: number, url: string) => { body: string; next?: string }, RegExp]>([
    ["a path that leads out", () => ({ body: JSON.stringify([entry("../x.parquet")]) }), /no file of it/],
    ["an absolute path", () => ({ body: JSON.stringify([entry("/etc/passwd")]) }), /no file of it/],
    ["a Windows path", () => ({ body: JSON.stringify([entry("a\\..\\..\\x.parquet")]) }), /no file of it/],
    ["a size that is none", () => ({ body: JSON.stringify([entry("x.parquet", -1)]) }), /no file of it/],
    ["a kind that is unknown", () => ({ body: '[{"type":"link","path":"x.parquet","size":1}]' }), /no file of it/],
    ["a file twice", () => ({ body: JSON.stringify([entry("x.parquet"), entry("x.parquet")]) }), /twice/],
    ["something else", () => ({ body: '{"error":"none"}' }), /no list of files/],
    ["no JSON", () => ({ body: "<html>" }), /is not JSON/],
    ["brackets alone", () => ({ body: "[".repeat(100_000) }), /nested deeper/],
    ["a page without an end", () => ({ body: `[${" ".repeat(17 * 2 ** 20)}]` }), /more than 16777216 bytes/],
    [
      "another host",
      () => ({ body: "[]", next: "http://127.0.0.1:9/api/datasets/me/corpus/tree/x" }),
      /another address/,
    ],
    [
      "a circle",
      (_page, url) => ({ body: "[]", next: `${url}/api/datasets/${repo}/tree/${commit}?recursive=true&cursor=1` }),
      /leads back/,
    ],
  ])("refuses a list with %s", async (_what, page, message) => {
    const hub = await corpus();
    hub.pages = (number) => page(number, hub.url);
    await expect(openHuggingFace(address)).rejects.toMatchObject({
      code: "BAD_FILE",
      message: expect.stringMatching(message),
    });
  });

  it("refuses a revision without a commit, and a file of another size than its list says", async () => {
    const hub = await corpus();
    hub.answerFirst = ({ url = "" }, response) => {
      if (!url.includes("/revision/")) return false;
      response.end('{"sha":"../main"}');
      return true;
    };
    await expect(openHuggingFace(address)).rejects.toThrow(/does not say which commit/);
    hub.answerFirst = undefined;
    hub.pages = () => ({ body: JSON.stringify([entry("clips/one.wav", 7)]) });
    await using clips = await openHuggingFace(address);
    await expect(clips.get([0])).rejects.toThrow(/it has 3000 bytes, and 7 in the list/);
  });
});
