import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeWav } from "millrace/speech";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("docs/collect-stats.md", () => {
  it("has an example that compiles and leaves the files it names", () => {
    const [, example] = /```ts.*\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs", "collect-stats.md"), "utf8"))!;
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "millrace"));
    for (const [i, name] of ["a.wav", "b.wav"].entries()) {
      const samples = Float32Array.from({ length: 16_000 * (i + 1) }, (_, n) => Math.sin(n * n * 1e-5));
      writeFileSync(join(folder, name), encodeWav(samples, { sampleRate: 16_000 }));
    }
    const file = join(folder, "example.mts");
    writeFileSync(file, example!);
    const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
    expect(problems.map((entry) => ts.flattenDiagnosticMessageText(entry.messageText, "\n"))).toEqual([]);
    const { outputText } = ts.transpileModule(example!, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    writeFileSync(join(folder, "example.mjs"), outputText);
    const { stdout, stderr } = spawnSync(process.execPath, ["example.mjs"], { cwd: folder, encoding: "utf8" });
    expect({ stdout, stderr: stderr.replace(/^.* items \(\d+ %\).*\n/gm, "") }).toEqual({
      stdout: "296 80 80\n",
      stderr: "",
    });
    expect(readdirSync(join(folder, "exp", "stats"))).toEqual(["cmvn.npz", "train"]);
  });
});
