import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { writeFiles } from "../support/write-files.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const isNative = Boolean((process.features as { typescript?: unknown }).typescript);

const files = {
  "package.json": '{ "type": "module" }',
  "model.ts":
    "export class Model { readonly size: number; constructor({ size }: { size: number }) { this.size = size; } }",
  "c.yaml": "_target_: ./model.ts#Model\nsize: 3\n",
  "main.mjs": `import { instantiate, loadConfig } from "millrace";
    try { console.log(await instantiate(await loadConfig("c.yaml"))); } catch ({ message }) { console.log(message); }`,
};

const runIn = (folder: string) => spawnSync(process.execPath, ["main.mjs"], { cwd: folder, encoding: "utf8" });

it("instantiate loads a target that is TypeScript, as the commands do", () => {
  const folder = writeFiles(files);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(repository, join(folder, "node_modules", "millrace"));
  expect(runIn(folder)).toMatchObject({ stderr: "", stdout: "Model { size: 3 }\n" });
});

it.skipIf(isNative)(
  `instantiate says what to install for it${isNative ? " (skipped: this Node.js loads TypeScript by itself)" : ""}`,
  () => {
    const folder = writeFiles(files);
    const own = join(folder, "node_modules", "millrace");
    mkdirSync(join(folder, "node_modules"));
    for (const name of ["dist", "package.json", "node_modules/yaml"])
      cpSync(join(repository, name), join(own, name), { recursive: true });
    expect(runIn(folder).stdout).toMatch(
      /^c\.yaml:1:1: The target "\.\/model\.ts#Model" cannot be used: .*model\.ts is TypeScript, which Node\.js v[\d.]+ cannot load by itself\.\n {2}-> Install tsx \(npm install --save-dev tsx\)/,
    );
  },
);
