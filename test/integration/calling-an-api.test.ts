import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { readRecords, runStatus } from "millrace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBlocks } from "../support/read-page.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

describe("docs/calling-an-api.md", () => {
  let server: ChildProcess;
  let address: string;

  beforeAll(async () => {
    server = spawn(process.execPath, [join(repository, "test/fixtures/children/api-server.mjs")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [text] = (await once(server.stdout!, "data")) as [Buffer];
    address = text.toString().trim();
  });
  afterAll(() => void server.kill());

  it("has a program that asks a server, waits where that is busy, and knows what each answer costs", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(repository, join(folder, "node_modules", "millrace"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const [program] = readBlocks("docs/calling-an-api.md").filter(({ language }) => language === "ts");
    writeFileSync(join(folder, "ask.js"), transformSync(program!.text, { loader: "ts", target: "node20.19" }).code);
    const child = spawn(process.execPath, ["ask.js", "40"], {
      cwd: folder,
      env: { ...process.env, OPENAI_BASE_URL: address, OPENAI_API_KEY: "a key" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (text) => (stdout += text));
    child.stderr.on("data", (text) => (stderr += text));
    const [code] = await once(child, "close");
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^0\.\d+ dollars\n$/);
    const { items, shards } = await runStatus(join(folder, "exp/answers"));
    expect(items).toMatchObject({ total: 40, written: 40, failed: 0 });
    const files = Array.from({ length: shards.total }, (_, id) =>
      join(folder, `exp/answers/split.${id}/records.jsonl`),
    );
    const answers = files.flatMap((file) => [...readRecords<{ idx: number; answer: string }>(file)]);
    expect(answers.map(({ idx, answer }) => [idx, answer])).toEqual(
      Array.from({ length: 40 }, (_, idx) => [idx, `an answer to Question ${idx}`]),
    );
  });
});
