import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { diagnose, transpile } from "./support/diagnose.ts";
import { readBlocks } from "./support/read-page.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** The anchors of a page's headings, as GitHub makes them; those of the site are compared where it is built. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page)
    .replace(/^```[\s\S]*?^```$/gm, "")
    .matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(pages)("%s", (page) => {
  it("links only to what is there", () => {
    const links = [...textOf(page).matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map((match) => match[1]!);
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, dirname(page), link)));
    expect(broken).toEqual([]);
  });

  it("links only to headings that are there", () => {
    const links = [...textOf(page).matchAll(/\]\(([^)#\s]*)#([^)]+)\)/g)].filter(([, path]) => !/^https?:/.test(path!));
    const broken = links.filter(([, path, hash]) => {
      const target = path === "" ? page : join(dirname(page), path!);
      return target.endsWith(".md") && existsSync(join(root, target)) && !anchorsOf(target).includes(hash!);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
    const named = [...textOf(page).matchAll(/npm run (\w+)/g)].map((match) => match[1]!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe("docs/security.md", () => {
  it("names tests that are there", () => {
    const named = [...textOf("docs/security.md").matchAll(/`(test\/[^`]+)`/g)].map(([, path]) => path!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe("README", () => {
  it("has an example that compiles in the strictest settings and runs as it is", () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(textOf("README.md"))!;
    // Below the project, so that `millrace` is found as a user's program finds it.
    const folder = join(root, ".cache", "readme");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "example.mts");
    writeFileSync(file, example!);
    expect(diagnose(file)).toEqual([]);
    writeFileSync(join(folder, "example.mjs"), transpile(example!));
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, "example.mjs")], {
      cwd: temporaryFolder(),
      encoding: "utf8",
    });
    // On a busy machine it takes long enough for progress to be shown.
    const words = stderr.replace(/^.* items \(\d+ %\).*\n/gm, "");
    expect({ words, status }).toEqual({ words: "", status: 0 });
    expect(stdout).toBe("999 records { utt_id: 'utt1', rms: 0.8660254037844386 }\n");
  });

  it("has a first command that runs the main job, and again without doing it again", () => {
    const dir = temporaryFolder();
    const start = () => spawnSync(process.execPath, [join(root, "scripts", "start.mjs"), dir], { encoding: "utf8" });
    const { stdout } = start();
    expect(stdout).toMatch(/^88 embeddings of 46 numbers, 8 speakers, in .* s\n8 utterances have none: /m);
    const [, percent] = /^equal error rate over all pairs: (\d+\.\d) %/m.exec(stdout)!;
    expect(Number(percent)).toBeLessThan(6);
    expect(readFileSync(join(dir, "mfcc-statistics", "report", "all.html"), "utf8")).toContain("<svg");
    const first = join(dir, "mfcc-statistics", "runs", "all", "split.0", "done");
    const done = readFileSync(first, "utf8");
    expect(start().status).toBe(0);
    expect(readFileSync(first, "utf8")).toBe(done);
  });
});

describe("examples/prep", () => {
  it("cleans a corpus of synthetic voices", () => {
    const main = join(root, "examples", "prep", "main.mjs");
    const { stdout } = spawnSync(process.execPath, [main, temporaryFolder()], { encoding: "utf8" });
    expect(stdout).toMatch(/^96 utterances in .* s: 85 kept \(2\.5 min\), 11 dropped$/m);
  });
});

describe("docs/configs.md", () => {
  it("has an example that compiles and does what it says", () => {
    const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(textOf("docs/configs.md"))!;
    const [, example] = /```ts\n([\s\S]*?)```/.exec(textOf("docs/configs.md"))!;
    // A project of its own, so that targets are found in it.
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "millrace"));
    writeFileSync(join(folder, "package.json"), "{}");
    writeFileSync(join(folder, "prep.yaml"), yaml!);
    writeFileSync(
      join(folder, "cleaner.mjs"),
      "export function makeCleaner({ min_seconds }) { return (seconds) => seconds >= min_seconds; }\n",
    );
    writeFileSync(join(folder, "example.mts"), example!);
    expect(diagnose(join(folder, "example.mts"))).toEqual([]);
    writeFileSync(join(folder, "example.mjs"), transpile(example!));
    const { stdout, stderr } = spawnSync(process.execPath, ["example.mjs"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, DATA_DIR: "/corpus" },
    });
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual([
      "prep-40 /corpus/stats_40.npz train",
      "{ source: 'override model.bins=40' }",
      "true false",
      "",
    ]);
  });
});

describe("docs/inference.md", () => {
  it("has an example and a config that run as they stand", () => {
    const [, example] = /```ts\n([\s\S]*?)```/.exec(textOf("docs/inference.md"))!;
    const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(textOf("docs/inference.md"))!;
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "millrace"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "example.mts"), example!);
    expect(diagnose(join(folder, "example.mts"))).toEqual([]);
    const outputText = transpile(example!);
    writeFileSync(join(folder, "example.mjs"), outputText);
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    const { stdout, stderr } = run("example.mjs");
    expect(stderr.replace(/^.* items \(\d+ %\).*\n/gm, "")).toBe("");
    expect(stdout).toMatch(/^hyp ref score speech\n2 utterances, 1 with errors \(50\.00 %\)\n/);
    expect(readFileSync(join(folder, "exp", "test", "speech.scp"), "utf8")).toBe(
      "utt0 split.0/speech/utt0.npy\nutt1 split.1/speech/utt1.npy\n",
    );
    const library = outputText.slice(0, outputText.indexOf("const runner")).replaceAll("AsrRunner", "Asr");
    writeFileSync(join(folder, "asr.js"), `${library}\nexport const output = Asr.outputFn;\n`);
    writeFileSync(join(folder, "asr.yaml"), yaml!.replace("exp/test", "exp/cli"));
    const cli = run(join(root, "dist", "cli", "millrace.js"), "run", "asr.yaml");
    expect({ status: cli.status, hint: /->.*/.exec(cli.stderr)?.[0] }).toEqual({ status: 0, hint: undefined });
    expect(readFileSync(join(folder, "exp", "cli", "speech.scp"), "utf8")).toMatch(
      /^utt0 split\.0\/speech\/utt0\.wav\n/,
    );
  });

  it("has configs for all test sets and their metrics that run as they stand", () => {
    const blocks = readBlocks("docs/inference.md");
    const yaml = (key: string) => blocks.find(({ language, text }) => language === "yaml" && text.includes(key))!.text;
    const example = blocks.find(({ language, words }) => language === "ts" && words.includes("run"))!.text;
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "millrace"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "inference.yaml"), yaml("test-other"));
    writeFileSync(
      join(folder, "asr.js"),
      `import { BaseMetric } from "millrace/recipes";
export const Utterances = ({ split }) => [{ utt_id: "a", speech: split, text: split }];
export const Model = () => ({ speech }) => speech;
export const output = ({ data, modelOutput }) => ({ utt_id: data.utt_id, hyp: modelOutput, ref: data.text });
export class RealTimeFactor extends BaseMetric { compute() { return { RTF: 0.5 }; } }
`,
    );
    // What its inputs are made of is not shown.
    const metrics = yaml("metrics:").replace("[seconds, duration]", "[hyp, ref]");
    writeFileSync(join(folder, "metrics.yaml"), metrics);
    writeFileSync(join(folder, "example.mjs"), transpile(example));
    const { stderr } = spawnSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
    expect(stderr.replace(/^.* items \(\d+ %\).*\n/gm, "")).toBe("");
    expect(JSON.parse(readFileSync(join(folder, "exp", "inference", "metrics.json"), "utf8"))).toEqual({
      "millrace/recipes#WER": { "test-clean": { WER: 0 }, "test-other": { WER: 0 } },
      "millrace/recipes#CER": { "test-clean": { CER: 0 }, "test-other": { CER: 0 } },
      "./asr.js#RealTimeFactor": { "test-clean": { RTF: 0.5 }, "test-other": { RTF: 0.5 } },
    });
  });
});

describe("docs/benchmarks.md", () => {
  const kept = JSON.parse(textOf("bench/results/latest.json")) as {
    bench: string;
    date: string;
    rows: { what: string; value: number; limit: number; holds: boolean }[];
  }[];

  it("shows every figure that was kept, with its day, and marks those above their limit", () => {
    const page = textOf("docs/benchmarks.md");
    for (const { bench, date, rows } of kept) {
      const [section] = page.slice(page.indexOf(`### ${bench}\n`) + 3).split("\n##");
      expect(section).toContain(date);
      for (const { what, value, holds } of rows)
        expect(section).toContain(`| ${what} | ${holds ? "" : "**"}${value.toLocaleString("en")}`);
    }
  });

  it("has a chart with a bar for each that has a limit", () => {
    const chart = textOf("docs/public/benchmarks.svg");
    const rows = kept.flatMap((entry) => entry.rows).filter(({ limit }) => limit > 0);
    expect(chart.match(/<rect class="(held|above)"/g)).toHaveLength(rows.length);
    expect(chart.match(/<rect class="above"/g) ?? []).toHaveLength(rows.filter(({ holds }) => !holds).length);
  });
});

describe("the benchmarks", () => {
  it("keep the newest figures of each, with the day, and those of the others as they were", async () => {
    const { saveResults } = (await import("../scripts/save-results.mjs" as string)) as {
      saveResults(results: object[], options: { file: string; now: Date }): string;
    };
    const file = join(temporaryFolder(), "results", "latest.json");
    const row = (bench: string, value: number) => ({ bench, what: "a ratio", value, unit: "x", limit: 1, holds: true });
    saveResults([row("tiny", 0.9), row("kill", 0.5)], { file, now: new Date("2026-01-01") });
    saveResults([row("kill", 0.4)], { file, now: new Date("2026-02-02") });
    const kept = JSON.parse(readFileSync(file, "utf8")) as { bench: string; date: string; rows: { value: number }[] }[];
    expect(kept.map(({ bench, date, rows }) => [bench, date, rows.map(({ value }) => value)])).toEqual([
      ["kill", "2026-02-02", [0.4]],
      ["tiny", "2026-01-01", [0.9]],
    ]);
    expect(kept[0]).toMatchObject({ machine: { cores: expect.any(Number), node: process.version } });
  });

  it("run and print what a machine can read", () => {
    const { stdout, status } = spawnSync(process.execPath, [join(root, "scripts", "bench.mjs"), "--json", "planning"], {
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ bench: "planning", what: expect.any(String), value: expect.any(Number) }),
      ]),
    );
  });
});
