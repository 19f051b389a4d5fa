// What it costs to compare the code of a run: its start with 100 files of user code, without and with a `version`, which
// replaces the comparison. In CPU time; each start is a process of its own, because a warm one would hide the cost.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inFolder, median, row } from "./measure.mjs";

const files = 100;
const pairs = 15;
const library = fileURLToPath(new URL("../dist/index.js", import.meta.url));

export function bench() {
  return inFolder((folder) => {
    writeProject(folder);
    return ["new", "same"].map((which) => {
      const costs = [];
      for (let i = 0; i <= pairs; i++) {
        const [plain, compared] = ["versioned", "compared"].map((kind) =>
          startMs(folder, kind, which === "new" ? `${kind}-${i}` : kind),
        );
        // The first pair reads the files from disk, and makes the runs that the others start again.
        if (i > 0) costs.push(compared - plain);
      }
      const what = which === "new" ? "of a new run" : "of a run that is there, code unchanged";
      return row(
        `CPU time of comparing ${files} files of code at the start ${what}`,
        Math.max(0, median(costs)),
        "ms",
        20,
      );
    });
  });
}

function startMs(folder, kind, outputDir) {
  const words = [join(folder, "start.js"), kind, join(folder, "runs", outputDir)];
  return Number(execFileSync(process.execPath, words, { encoding: "utf8" }));
}

/** A project of modules with some 60 lines each, as a user's are. */
function writeProject(folder) {
  mkdirSync(join(folder, "lib"));
  writeFileSync(join(folder, "package.json"), '{ "name": "corpus", "type": "module" }');
  const names = Array.from({ length: files - 1 }, (_, i) => `part${i}`);
  for (const [i, name] of names.entries()) {
    const next = names[2 * i + 1] === undefined ? "" : `import "./${names[2 * i + 1]}.js";\n`;
    const after = names[2 * i + 2] === undefined ? "" : `import "./${names[2 * i + 2]}.js";\n`;
    const lines = Array.from({ length: 20 }, (_, line) =>
      [
        `/** Line ${line} of a text: what it is about. */`,
        `export function step${line}(text) {`,
        `  return text.replace(/[a-z]+${line}/g, (word) => \`\${word} "of" ${name}\`); // as it is written\n}`,
      ].join("\n"),
    );
    writeFileSync(join(folder, "lib", `${name}.js`), `${next}${after}${lines.join("\n")}\n`);
  }
  const start = [
    `import { defineRun } from ${JSON.stringify(library)};`,
    'import "./lib/part0.js";',
    "const work = { env: () => ({}), forward: (idx) => idx };",
    "export const compared = defineRun(import.meta, work);",
    'export const versioned = defineRun(import.meta, { ...work, version: "1" });',
    "const [kind, outputDir] = process.argv.slice(2);",
    'const run = kind === "compared" ? compared : versioned;',
    "const began = process.cpuUsage();",
    "await run.run([0], { outputDir, progress: false });",
    "const { user, system } = process.cpuUsage(began);",
    "console.log((user + system) / 1000);",
  ];
  writeFileSync(join(folder, "start.js"), start.join("\n"));
}
