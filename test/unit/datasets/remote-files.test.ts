import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Dataset } from "../../../src/datasets/dataset.ts";
import { openFolder } from "../../../src/datasets/open-folder.ts";
import { openJsonl } from "../../../src/datasets/open-jsonl.ts";
import { openParquet } from "../../../src/datasets/open-parquet.ts";
import { openTar } from "../../../src/datasets/open-tar.ts";
import { blockBytes, openBlockCache } from "../../../src/datasets/source/block-cache.ts";
import { s3Settings } from "../../../src/datasets/source/s3-settings.ts";
import { signS3 } from "../../../src/datasets/source/sign-s3.ts";
import { writeParquetFile } from "../../../src/formats/parquet/parquet-file.ts";
import { tarEnd } from "../../../src/formats/tar/encode-tar-entry.ts";
import { encodeWebDatasetSample } from "../../../src/formats/tar/encode-web-dataset-sample.ts";

const text = Array.from({ length: 60_000 }, (_, n) => `${JSON.stringify({ n, text: `text of row ${n}` })}\n`).join("");
const files = new Map<string, { bytes: Buffer; etag: string }>([
  ["/data.jsonl", { bytes: Buffer.from(text), etag: '"one"' }],
  ["/data.jsonl.gz", { bytes: gzipSync(text), etag: '"packed"' }],
]);
const seen: { url: string; range: string | undefined; authorization: string | undefined }[] = [];
let answerFirst: ((response: ServerResponse) => boolean) | undefined;

let server: Server;
let origin: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-remote-"));
  server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("MILLRACE_CACHE", folder);
});
afterEach(() => {
  seen.length = 0;
  answerFirst = undefined;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function serve({ url = "", headers }: IncomingMessage, response: ServerResponse): void {
  seen.push({ url, range: headers.range, authorization: headers.authorization });
  if (answerFirst?.(response) === true) return;
  const path = url.replace(/^\/datasets\/me\/words\/resolve\/main|^\/bucket/, "");
  const file = files.get(path);
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
  if (file === undefined || from === undefined) {
    response.writeHead(file === undefined ? 404 : 400).end();
    return;
  }
  if (headers["if-range"] !== undefined && headers["if-range"] !== file.etag) {
    response.writeHead(200, { etag: file.etag }).end(file.bytes);
    return;
  }
  const end = Math.min(Number(to), file.bytes.length - 1);
  response.writeHead(206, { etag: file.etag, "content-range": `bytes ${from}-${end}/${file.bytes.length}` });
  response.end(file.bytes.subarray(Number(from), end + 1));
}

function sizeOf(place: string): number {
  return readdirSync(place).reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
}

describe("a dataset by its address", () => {
  it.each(["/data.jsonl", "/data.jsonl.gz"])("reads parts of %s, and keeps them", async (path) => {
    await using data = await openJsonl<{ n: number }>(`${origin}${path}`, { remote: true });
    expect(data.length).toBe(60_000);
    expect(await data.at(59_999)).toMatchObject({ n: 59_999 });
    expect((await data.get([5, 40_000, 6])).map(({ n }) => n)).toEqual([5, 40_000, 6]);
    let sum = 0;
    for await (const { n } of data.slice(100, 2000)) sum += n;
    expect(sum).toBe(((100 + 1999) / 2) * 1900);
    seen.length = 0;
    await using again = await openJsonl<{ n: number }>(`${origin}${path}`, { remote: true });
    expect(await again.at(30_000)).toMatchObject({ n: 30_000 });
    // Only the look at its version: index and blocks are on disk.
    expect(seen.map(({ range }) => range)).toEqual(["bytes=0-0"]);
  });

  it("tries again what may pass by itself, and says what does not", async () => {
    let refusals = 2;
    answerFirst = (response) => {
      if (refusals-- <= 0) return false;
      response.writeHead(503, { "retry-after": "0" }).end();
      return true;
    };
    await using data = await openJsonl(`${origin}/data.jsonl`, { remote: true });
    expect(data.length).toBe(60_000);
    await expect(openJsonl(`${origin}/none`, { remote: true })).rejects.toThrow(
      /cannot be read: the server answers 404/,
    );
  });

  it("asks again for a part whose connection is lost midway", async () => {
    files.set("/torn.jsonl", { bytes: Buffer.from(text), etag: '"torn"' });
    let losses = 2;
    answerFirst = (response) => {
      if (seen.at(-1)?.range === "bytes=0-0" || losses-- <= 0) return false;
      const range = `bytes 0-1048575/${text.length}`;
      response.writeHead(206, { etag: '"torn"', "content-range": range, "content-length": 1 << 20 });
      response.write(text.slice(0, 1000), () => response.destroy());
      return true;
    };
    await using data = await openJsonl<{ n: number }>(`${origin}/torn.jsonl`, { remote: true });
    expect(losses).toBeLessThan(0);
    expect(await data.at(3)).toMatchObject({ n: 3 });
  });

  it("takes no more of an answer than it has asked for", async () => {
    files.set("/endless.jsonl", { bytes: Buffer.from(text), etag: '"endless"' });
    answerFirst = (response) => {
      const [, from, to] = /(\d+)-(\d+)/.exec(seen.at(-1)?.range ?? "")!;
      if (to === "0") return false;
      response.writeHead(206, { etag: '"endless"', "content-range": `bytes ${from}-${to}/${text.length}` });
      const more = () => {
        if (!response.destroyed) response.write(Buffer.alloc(1 << 16), more);
      };
      more();
      return true;
    };
    await expect(openJsonl(`${origin}/endless.jsonl`, { remote: true })).rejects.toThrow(
      /more than 1048576 bytes came for bytes 0 to 1048575/,
    );
  });

  it("distinguishes files that only the query of their address names", async () => {
    const rows = (name: string) => Buffer.from(`{"name":"${name}"}\n`);
    for (const name of ["a", "b"]) files.set(`/get?file=${name}`, { bytes: rows(name), etag: '"same"' });
    await using first = await openJsonl(`${origin}/get?file=a`, { remote: true });
    expect(await first.at(0)).toEqual({ name: "a" });
    await using second = await openJsonl(`${origin}/get?file=b`, { remote: true });
    expect(await second.at(0)).toEqual({ name: "b" });
  });

  it("needs no other blocks when an address is signed again", async () => {
    for (const signature of ["one", "two"]) {
      files.set(`/signed.jsonl?X-Amz-Signature=${signature}`, { bytes: Buffer.from(text), etag: '"signed"' });
      await using data = await openJsonl(`${origin}/signed.jsonl?X-Amz-Signature=${signature}`, { remote: true });
      expect(data.length).toBe(60_000);
    }
    expect(seen.filter(({ url, range }) => url.endsWith("two") && range !== "bytes=0-0")).toEqual([]);
  });

  it("notices that the file on the server has changed", async () => {
    const bytes = Buffer.concat([files.get("/data.jsonl")!.bytes, Buffer.from('{"n":-1}\n')]);
    files.set("/other.jsonl", { bytes, etag: '"a"' });
    const data = await openJsonl(`${origin}/other.jsonl`, { remote: true });
    for (const name of readdirSync(join(folder, "blocks"))) rmSync(join(folder, "blocks", name));
    files.set("/other.jsonl", { bytes: Buffer.from(bytes).fill(32, 0, 10), etag: '"b"' });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await expect(data.at(0)).rejects.toThrow(/has changed since it was opened/);
    await using again = await openJsonl(`${origin}/other.jsonl`, { remote: true });
    expect(again.digest).not.toBe(data.digest);
  });

  it.each([
    ["with a password", () => `${origin.replace("http://", "http://me:secret@")}/data.jsonl`],
    ["of the hub, with its token", () => "hf://datasets/me/words/data.jsonl"],
    ["of S3, signed", () => "s3://bucket/data.jsonl"],
  ])("sends no credentials of an address %s to the host that it is redirected to", async (way, address) => {
    vi.stubEnv("HF_ENDPOINT", origin);
    vi.stubEnv("HF_TOKEN", "hf_secret");
    vi.stubEnv("AWS_ENDPOINT_URL_S3", origin);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "very-secret");
    vi.stubEnv("AWS_SESSION_TOKEN", "session-secret");
    const got: string[][] = [];
    const other = createServer((request, response) => {
      got.push(request.rawHeaders);
      serve(request, response);
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    const to = `http://127.0.0.1:${(other.address() as AddressInfo).port}/data.jsonl`;
    let isFirstHost = true;
    answerFirst = (response) => {
      // Every second request is the one that was redirected.
      isFirstHost = !isFirstHost;
      if (isFirstHost) return false;
      response.writeHead(302, { location: to }).end();
      return true;
    };
    await using data = await openJsonl<{ n: number }>(address(), { remote: true, indexDir: join(folder, way) });
    expect(await data.at(7)).toMatchObject({ n: 7 });
    expect(seen[0]?.authorization).toMatch(/^(?:Basic bWU6c2VjcmV0|Bearer hf_secret|AWS4-HMAC-SHA256 .*)$/);
    expect(got.length).toBeGreaterThan(0);
    expect(got.flat().filter((text) => /authorization|secret|x-amz|AKID/i.test(text))).toEqual([]);
    other.close();
  });

  it("refuses a redirect that leaves https or http", async () => {
    answerFirst = (response) => {
      response.writeHead(302, { location: "ftp://example.test/x" }).end();
      return true;
    };
    await expect(openJsonl(`${origin}/data.jsonl`, { remote: true })).rejects.toThrow(
      /redirected to an address of ftp:/,
    );
  });

  it.each(["/rows.parquet", "/rows.tar"])("reads parts of %s, and notices a change midway", async (path) => {
    const own = join(folder, `own${path}`);
    mkdirSync(join(folder, "own"), { recursive: true });
    if (path.endsWith(".parquet")) {
      const rows = Array.from({ length: 40 }, (_, n) => ({ n, x: randomBytes(150_000) }));
      const columns = [
        { name: "n", type: "int32" },
        { name: "x", type: "binary" },
      ] as const;
      await writeParquetFile(own, rows, { columns, rowsPerGroup: 5 });
    } else {
      const sample = (n: number) =>
        encodeWebDatasetSample({ __key__: `s${n}`, json: { n }, bin: randomBytes(150_000) });
      writeFileSync(own, Buffer.concat([...Array.from({ length: 40 }, (_, n) => sample(n)), tarEnd]));
    }
    const bytes = readFileSync(own);
    files.set(path, { bytes, etag: '"first"' });
    const open = (): Promise<Dataset<unknown>> =>
      path.endsWith(".parquet")
        ? openParquet(`${origin}${path}`, { remote: true })
        : openTar(`${origin}${path}`, { remote: true, decode: true });
    const data = await open();
    expect(data.length).toBe(40);
    expect(await data.at(0)).toMatchObject(path.endsWith(".parquet") ? { n: 0 } : { json: { n: 0 } });
    expect(seen.every(({ range }) => range !== undefined)).toBe(true);
    rmSync(join(folder, "blocks"), { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    files.set(path, { bytes, etag: '"second"' });
    await expect((async () => data.at(39))()).rejects.toThrow(/has changed since it was opened/);
    await data.close();
  });

  it("keeps at most as much in its cache as it may, and drops what was written first", () => {
    const variables = { MILLRACE_CACHE: join(folder, "small"), MILLRACE_CACHE_BYTES: String(66 * blockBytes) };
    const cache = openBlockCache("https://example.test/x", variables);
    const block = Buffer.alloc(blockBytes, 7);
    const place = join(folder, "small", "blocks");
    let largest = 0;
    for (let i = 0; i < 140; i++) {
      cache.write("v", i, block);
      if (i % 10 === 9) largest = Math.max(largest, sizeOf(place));
    }
    expect(largest).toBeLessThanOrEqual(67 * blockBytes);
    expect(cache.read("v", 0, blockBytes)).toBeUndefined();
    expect(cache.read("v", 139, blockBytes)?.equals(block)).toBe(true);
    expect(cache.read("other", 139, blockBytes)).toBeUndefined();
    const none = openBlockCache("https://example.test/x", { ...variables, MILLRACE_CACHE_BYTES: "0" });
    none.write("w", 0, block);
    expect(none.read("w", 0, blockBytes)).toBeUndefined();
  });

  it("takes from its cache, and removes from it, nothing but blocks", () => {
    const variables = { MILLRACE_CACHE: join(folder, "shared"), MILLRACE_CACHE_BYTES: "0" };
    const place = join(folder, "shared", "blocks");
    const precious = join(folder, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "thesis.tex"), "years of work");
    mkdirSync(join(folder, "shared"));
    // Another user of a shared folder has put a link in place of it.
    symlinkSync(precious, place);
    const block = Buffer.alloc(blockBytes, 7);
    openBlockCache("https://example.test/y", { ...variables, MILLRACE_CACHE_BYTES: String(blockBytes) }).write(
      "v",
      0,
      block,
    );
    expect(readdirSync(precious)).toContain("thesis.tex");
    rmSync(place);
    const cache = openBlockCache("https://example.test/y", { MILLRACE_CACHE: join(folder, "shared") });
    cache.write("v", 0, block);
    expect(statSync(place).mode & 0o077).toBe(0);
    const [name] = readdirSync(place);
    const path = join(place, name!);
    rmSync(path);
    // Opening a pipe, or a device without end, would never return.
    execFileSync("mkfifo", [path]);
    expect(cache.read("v", 0, blockBytes)).toBeUndefined();
    rmSync(path);
    symlinkSync("/dev/zero", path);
    expect(cache.read("v", 0, blockBytes)).toBeUndefined();
    rmSync(path);
  });

  it("shows no part of an address that may be secret, where it is refused too", async () => {
    const address = "https://me:pass@example.test/a.jsonl?X-Amz-Signature=word";
    await expect((async () => openJsonl(address))()).rejects.toThrow(
      /^(?!.*(?:pass|word)).*https:\/\/example\.test\/a\.jsonl\?… is an address/s,
    );
    await expect(openJsonl("https://me:pass@host:port/a?word", { remote: true })).rejects.toThrow(
      /^(?!.*(?:pass|word)).*is no address of a file/s,
    );
    await expect((async () => openFolder("https://me:pass@example.test/a"))()).rejects.toThrow(
      /^(?!.*pass).*is an address/s,
    );
  });

  it("sends the token of the hub, and shows no credentials", async () => {
    vi.stubEnv("HF_ENDPOINT", origin);
    vi.stubEnv("HF_TOKEN", "hf_secret");
    await using data = await openJsonl("hf://datasets/me/words/data.jsonl", { remote: true });
    expect(data.length).toBe(60_000);
    expect(seen[0]).toMatchObject({ authorization: "Bearer hf_secret" });
    const failing = openJsonl(`${origin.replace("http://", "http://me:pass@")}/none?key=word`, { remote: true });
    await expect(failing).rejects.toThrow(/^(?!.*(?:pass|word)).*cannot be read/s);
  });

  it("signs requests to S3 with what the environment has", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL_S3", origin);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "very-secret");
    await using data = await openJsonl("s3://bucket/data.jsonl", { remote: true });
    expect(data.length).toBe(60_000);
    expect(seen[0]?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=host;range;/,
    );
    const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /rows$|\.\d+$/.test(name));
    for (const name of kept) expect(readFileSync(join(folder, name)).includes("very-secret")).toBe(false);
  });

  it("signs like the example of the signature's documentation", () => {
    // GET Object with a range, from the description of Signature Version 4 for S3.
    const headers = signS3(
      new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
      { range: "bytes=0-9" },
      {
        credentials: {
          accessKeyId: "AKIAIOSFODNN7EXAMPLE",
          secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        },
        region: "us-east-1",
        now: new Date("2013-05-24T00:00:00Z"),
      },
    );
    expect(headers["authorization"]).toContain(
      "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });

  it("finds credentials in a profile", () => {
    const path = join(folder, "credentials");
    writeFileSync(path, "[default]\naws_access_key_id = A\n[lab]\naws_access_key_id=B\naws_secret_access_key = C=\n");
    expect(
      s3Settings({ AWS_SHARED_CREDENTIALS_FILE: path, AWS_PROFILE: "lab", AWS_CONFIG_FILE: "/none" }),
    ).toMatchObject({
      credentials: { accessKeyId: "B", secretAccessKey: "C=" },
    });
  });
});
