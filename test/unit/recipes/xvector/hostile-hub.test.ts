// A hub, a config and a cache that try to write elsewhere: each is refused, and all that lies outside the cache stays
// as it is.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { encodeBuiltinModel } from "../../../../src/recipes/xvector/builtin-model.ts";
import { findModel } from "../../../../src/recipes/xvector/model/find-model.ts";
import { checkXVectorConfig, type XVectorSection } from "../../../../src/recipes/xvector/xvector-config.ts";
import {
  commit,
  type FakeHub,
  type FakeHubOptions,
  gitBlobId,
  startFakeHub,
} from "../../../support/recipes/fake-download-hub.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const bytes = encodeBuiltinModel();
const sha256 = createHash("sha256").update(bytes).digest("hex");
const repo = "someone/spk-model";

afterEach(() => {
  vi.unstubAllEnvs();
});

interface World {
  readonly root: string;
  readonly cache: string;
  /** The folder of the repository in the cache. */
  readonly folder: string;
}

/** A cache deep within a folder that has files of value on every level above it. */
function makeWorld(): World {
  const root = temporaryFolder();
  const cache = join(root, "a", "b", "c", "hub");
  mkdirSync(join(root, "elsewhere"));
  mkdirSync(cache, { recursive: true });
  for (let at = dirname(cache); at.length >= root.length; at = dirname(at)) {
    writeFileSync(join(at, "precious.onnx"), "of value\n");
    writeFileSync(join(at, "precious"), "of value\n");
  }
  return { root, cache, folder: join(cache, "models--someone--spk-model") };
}

/** Everything outside the cache: names, kinds and bytes. */
function outside({ root, cache }: World): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (path === cache) continue;
      const kind = lstatSync(path);
      if (kind.isDirectory()) visit(path);
      found[path] = kind.isSymbolicLink()
        ? `link ${readlinkSync(path)}`
        : kind.isFile()
          ? readFileSync(path, "utf8")
          : "";
    }
  };
  visit(root);
  return found;
}

const incomplete = ({ cache }: World) =>
  readdirSync(cache, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("incomplete"));

function find({ cache }: World, hub: FakeHub, changed: Partial<XVectorSection> = {}) {
  const variables = { HF_ENDPOINT: hub.url, HF_HUB_CACHE: cache, HF_HOME: "", HF_HUB_OFFLINE: "", HF_TOKEN: "" };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const section = { toolkit: "onnx" as const, save_path: "out", manifest_paths: { train: "m.tsv" }, ...changed };
  return findModel({ pretrained_model: repo, ...section });
}

/** Has a model looked for; it must be refused with this message, and nothing outside the cache may change. */
async function expectRefused(
  options: FakeHubOptions,
  changed: Partial<XVectorSection>,
  message: RegExp,
  world = makeWorld(),
): Promise<FakeHub> {
  const before = outside(world);
  const hub = await startFakeHub(repo, { "spk.onnx": bytes }, options);
  const failure = await find(world, hub, changed).then(
    (found) => found,
    (error: unknown) => error,
  );
  expect(outside(world)).toEqual(before);
  expect(incomplete(world)).toEqual([]);
  expect(failure).toBeInstanceOf(Error);
  expect((failure as Error).message).toMatch(message);
  expect(failure).toMatchObject({ name: "MillraceError", hint: expect.stringMatching(/./) });
  return hub;
}

describe("a name that leaves the cache", () => {
  const names = [
    "../../../../../precious.onnx",
    "../../../../../../a/precious.onnx",
    "/precious.onnx",
    "sub/../../../precious.onnx",
    "sub//precious.onnx",
    "..\\..\\precious.onnx",
    "nul\0.onnx",
    "line\nbreak.onnx",
  ];

  it.each(names)("is refused in the hub's list: %j", async (name) => {
    const list = JSON.stringify({ siblings: [{ rfilename: name }] });
    await expectRefused({ list, anyFile: bytes }, {}, /someone\/spk-model.*siblings\[0\]\.rfilename/s);
  });

  it.each(names)("is refused as model_file: %j", async (name) => {
    await expectRefused({ anyFile: bytes }, { model_file: name }, /model_file/);
  });

  it.each(["../../../precious", "a/../../../../precious", "..", ".", "a//b", "a/", "x..y"])(
    "is refused as revision: %j",
    async (revision) => {
      await expectRefused({ anyFile: bytes }, { revision, model_file: "spk.onnx" }, /revision/);
      const xvector = { revision, save_path: "out", manifest_paths: { train: "m.tsv" } };
      expect(() => checkXVectorConfig({ xvector })).toThrow(/xvector\.revision is/);
    },
  );

  it.each(["../precious", "..%2f..%2fprecious", "a/b", ".", "-", ""])("is refused as commit: %j", async (name) => {
    await expectRefused({ headers: { "x-repo-commit": name } }, {}, /x-repo-commit/);
  });

  it.each(["../../precious", "..", "a/b", "short", ""])("is refused as ETag: %j", async (name) => {
    await expectRefused(
      { headers: { "x-linked-etag": `"${name}"`, ...(name === "" ? { "x-linked-etag": "" } : {}) } },
      {},
      /etag/i,
    );
  });

  it("is not followed where a ref of the cache names it", async () => {
    const world = makeWorld();
    mkdirSync(join(world.folder, "refs"), { recursive: true });
    mkdirSync(join(world.folder, "snapshots"), { recursive: true });
    writeFileSync(join(world.folder, "refs", "main"), "../../../..\n");
    const hub = await startFakeHub(repo, { "precious.onnx": bytes });
    const found = await find(world, hub, { model_file: "precious.onnx" });
    expect(found).toEqual({ path: join(world.folder, "snapshots", commit, "precious.onnx"), sha256 });
  });

  it("is none of the names that repositories have", async () => {
    for (const name of [
      "onnx/spk model.onnx",
      "a/b/c/d.onnx",
      ".hidden/x.onnx",
      "..onnx",
      "ä+%25#?&.onnx",
      "x..y.onnx",
    ]) {
      const world = makeWorld();
      const hub = await startFakeHub(repo, { [name]: bytes }, { anyFile: bytes });
      const path = join(world.folder, "snapshots", commit, ...name.split("/"));
      expect(await find(world, hub)).toEqual({ path, sha256 });
    }
    const world = makeWorld();
    const hub = await startFakeHub(repo, { "spk.onnx": bytes });
    expect(await find(world, hub, { model_file: "./spk.onnx" })).toMatchObject({ sha256 });
    for (const revision of ["v1.0", "refs/pr/1", commit, "feature/x-1", "_x"]) {
      const world = makeWorld();
      const hub = await startFakeHub(repo, {}, { anyFile: bytes });
      expect(await find(world, hub, { revision, model_file: "spk.onnx" })).toMatchObject({ sha256 });
      expect(hub.requests[0]).toBe(`HEAD /${repo}/resolve/${encodeURIComponent(revision)}/spk.onnx`);
    }
  });
});

describe("a body that is not what was announced", () => {
  it("is refused as soon as it is longer", { timeout: 300_000 }, async () => {
    const addedBytes = 2 ** 28;
    for (const isGit of [false, true]) {
      const hub = await expectRefused({ addedBytes, isGit }, {}, /more than the \d+ bytes/);
      // What the sockets hold is on its way already.
      expect(hub.sentBytes).toBeLessThan(addedBytes / 4);
    }
  });

  it("is refused where it is shorter", async () => {
    await expectRefused({ headers: { "x-linked-size": String(bytes.length + 1) } }, {}, /bytes came/);
  });

  it("is refused where its length is no length, or more than any model has", async () => {
    for (const size of ["-1", "1e3", "NaN", "many", "99999999999999999999"])
      await expectRefused({ headers: { "x-linked-size": size } }, {}, /x-linked-size.*expected/);
    const hub = await expectRefused({ headers: { "x-linked-size": String(2 ** 40) } }, {}, /at most 2 GiB/);
    expect(hub.requests.filter((line) => line.startsWith("GET /cdn"))).toEqual([]);
  });

  it("is compared where the length is not announced", async () => {
    const world = makeWorld();
    const hub = await startFakeHub(repo, { "spk.onnx": bytes }, { headers: { "x-linked-size": "" } });
    expect(await find(world, hub)).toMatchObject({ sha256 });
    await expectRefused({ headers: { "x-linked-size": "" }, damages: true }, {}, /could not be fetched: its SHA-256/);
  });

  it("is compared with the id of its git blob where it is no large file", async () => {
    const world = makeWorld();
    const hub = await startFakeHub(repo, { "spk.onnx": bytes }, { isGit: true });
    expect(await find(world, hub)).toMatchObject({ sha256 });
    expect(readdirSync(join(world.folder, "blobs"))).toEqual([gitBlobId(bytes)]);
    await expectRefused({ isGit: true, damages: true }, {}, /could not be fetched: its git blob/);
  });

  it("needs a SHA-256 of the config where the ETag is no digest", async () => {
    const headers = { "x-linked-etag": '"made-up-by-a-mirror"' };
    await expectRefused({ headers }, {}, /no digest[\s\S]*xvector\.sha256/);
    await expectRefused({ headers, damages: true }, { sha256 }, /SHA-256/);
    const world = makeWorld();
    const hub = await startFakeHub(repo, { "spk.onnx": bytes }, { headers });
    expect(await find(world, hub, { sha256 })).toMatchObject({ sha256 });
  });
});

describe("an answer of another shape", () => {
  const lists: readonly (readonly [string, RegExp])[] = [
    ["5", /an object was expected/],
    ["null", /an object was expected/],
    ["[]", /siblings/],
    ["{}", /siblings/],
    ['{"siblings":5}', /siblings is 5/],
    ['{"siblings":null}', /siblings is null/],
    ['{"siblings":{"length":1}}', /siblings is /],
    ['{"siblings":[5]}', /siblings\[0\] /],
    ['{"siblings":[null]}', /siblings\[0\] /],
    ['{"siblings":[{"rfilename":"a.onnx"},{"rfilename":7}]}', /siblings\[1\]\.rfilename is 7/],
    ['{"siblings":[{"rfilename":["a.onnx"]}]}', /siblings\[0\]\.rfilename/],
    ["<html>", /JSON/],
    ["", /JSON/],
  ];

  it.each(lists)("is refused with the repository and the field: %s", async (list, message) => {
    await expectRefused({ list, anyFile: bytes }, {}, message);
    await expectRefused({ list, anyFile: bytes }, {}, /someone\/spk-model/);
  });

  it("is not read to its end where it is endless", { timeout: 300_000 }, async () => {
    await expectRefused({ list: `{"siblings":[${" ".repeat(2 ** 27)}]}` }, {}, /more than 16 MiB/);
  });

  it("does not fill the screen with names", async () => {
    const siblings = Array.from({ length: 50_000 }, (_, i) => ({ rfilename: `model-${i}.onnx` }));
    const world = makeWorld();
    const hub = await startFakeHub(repo, {}, { list: JSON.stringify({ siblings }) });
    const error = (await find(world, hub).catch((failure: unknown) => failure)) as Error;
    expect(error.message).toMatch(/model-0\.onnx, model-1\.onnx, .* and 49990 more/);
    expect(error.message.length).toBeLessThan(1000);
  });
});

describe("a redirect", () => {
  it("to anything but the web is refused", async () => {
    for (const location of ["file:///etc/passwd", "data:,x", "ftp://127.0.0.1/x", "//", "http://"])
      await expectRefused({ headers: { location } }, {}, /redirect/);
  });

  it("that leads in circles is refused", async () => {
    await expectRefused({ headers: { location: `/${repo}/resolve/main/spk.onnx` } }, {}, /redirect/);
  });

  it("from https to http is refused", async ({ skip }) => {
    const tls = makeCertificate();
    if (tls === undefined) return skip("there is no openssl");
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const plain = await startFakeHub(repo, { "spk.onnx": bytes });
    await expectRefused({ tls, headers: { location: `${plain.url}/cdn/spk.onnx` } }, {}, /redirect.*https/);
    expect(plain.requests).toEqual([]);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const world = makeWorld();
    expect(await find(world, await startFakeHub(repo, { "spk.onnx": bytes }, { tls }))).toMatchObject({ sha256 });
  });

  it("to another host does not get the token", async () => {
    const other = await startFakeHub(repo, { "spk.onnx": bytes });
    const location = `${other.url.replace("127.0.0.1", "localhost")}/cdn/spk.onnx`;
    const hub = await startFakeHub(repo, { "spk.onnx": bytes }, { headers: { location } });
    const world = makeWorld();
    const finding = find(world, hub);
    vi.stubEnv("HF_TOKEN", "hf_secret");
    expect(await finding).toMatchObject({ sha256 });
    expect(other.requests).toEqual(["GET /cdn/spk.onnx"]);
  });
});

describe("a cache with links that lead out", () => {
  const blob = join("blobs", sha256);
  const links: readonly (readonly [string, string])[] = [
    ["refs/main", "precious"],
    [`snapshots/${commit}/spk.onnx.sha256`, "precious"],
    [`snapshots/${commit}/spk.onnx`, "not-there"],
    [blob, "not-there"],
  ];

  it.each(links)("loses the link %s, not what it leads to", async (link, target) => {
    const world = makeWorld();
    const path = join(world.folder, link);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(world.root, target), path);
    const before = outside(world);
    const hub = await startFakeHub(repo, { "spk.onnx": bytes });
    expect(await find(world, hub)).toMatchObject({ sha256 });
    expect(outside(world)).toEqual(before);
  });

  it.each(["", "refs", "blobs", "snapshots", `snapshots/${commit}`])(
    "is not written through the folder %j",
    async (link) => {
      const world = makeWorld();
      const path = join(world.folder, link);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(world.root, "elsewhere"), path);
      await expectRefused({}, {}, /leads out of the cache/, world);
    },
  );

  it("may itself be a link, and have links within", async () => {
    const world = makeWorld();
    const cache = join(world.root, "linked-cache");
    symlinkSync(world.cache, cache);
    mkdirSync(join(world.cache, "big"));
    symlinkSync(join(world.cache, "big"), world.folder);
    const hub = await startFakeHub(repo, { "spk.onnx": bytes });
    expect(await find({ ...world, cache }, hub)).toMatchObject({ sha256 });
  });
});

describe("a blob that is in the cache", () => {
  it("is used without another download where it is whole, and fetched again where it is not", async () => {
    for (const isGit of [false, true]) {
      const world = makeWorld();
      const blob = join(world.folder, "blobs", isGit ? gitBlobId(bytes) : sha256);
      mkdirSync(dirname(blob), { recursive: true });
      writeFileSync(blob, bytes);
      const bodies = (hub: FakeHub) => hub.requests.filter((line) => /^GET \/(cdn|someone)/.test(line)).length;
      const first = await startFakeHub(repo, { "spk.onnx": bytes }, { isGit });
      expect(await find(world, first)).toMatchObject({ sha256 });
      expect(bodies(first)).toBe(0);
      const other = makeWorld();
      const damaged = join(other.folder, "blobs", isGit ? gitBlobId(bytes) : sha256);
      mkdirSync(dirname(damaged), { recursive: true });
      writeFileSync(damaged, "damaged");
      const second = await startFakeHub(repo, { "spk.onnx": bytes }, { isGit });
      expect(await find(other, second)).toMatchObject({ sha256 });
      expect(bodies(second)).toBeGreaterThan(0);
    }
  });

  it("is compared with its own name, whichever program fetched it", async () => {
    const world = makeWorld();
    const path = join(world.folder, "snapshots", commit, "spk.onnx");
    mkdirSync(dirname(path), { recursive: true });
    mkdirSync(join(world.folder, "blobs"));
    mkdirSync(join(world.folder, "refs"));
    writeFileSync(join(world.folder, "refs", "main"), commit);
    writeFileSync(join(world.folder, "blobs", sha256), bytes);
    symlinkSync(join("..", "..", "blobs", sha256), path);
    const hub = await startFakeHub(repo, {});
    expect(await find(world, hub)).toEqual({ path, sha256 });
    writeFileSync(join(world.folder, "blobs", sha256), "damaged");
    await expect(find(world, hub)).rejects.toThrow(/has the SHA-256 .*, not [0-9a-f]{64}/);
  });
});

function makeCertificate(): { key: string; cert: string } | undefined {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=127.0.0.1", "-days", "2"];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, ...subject];
  if (spawnSync("openssl", args).status !== 0) return undefined;
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
