// npm test: sets up what is missing, checks the code, runs all tests. Arguments go to vitest: npm test -- resume
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt, ensureInstalled, root, runTool } from "./ensure.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

const chosen = process.argv.slice(2);

ensureInstalled();
ensureSystemPackages();
ensureBuilt();

if (chosen.length === 0) {
  step("lint", () => runTool(["@biomejs", "biome", "bin", "biome"], ["check", "--error-on-warnings", "."]));
  step("types", () => runTool(["typescript", "bin", "tsc"], ["-p", "tsconfig.json"]));
  step("types of the pages", () => runTool(["typescript", "bin", "tsc"], ["-p", "web/tsconfig.json"]));
  step("dead code", () => runTool(["knip", "bin", "knip.js"], ["--no-progress"]));
  step("package", () => runTool(["publint", "src", "cli.js"], ["--strict"]));
}

const report = join(root, ".cache", "vitest.json");
mkdirSync(join(root, ".cache"), { recursive: true });
const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...chosen];
process.once("exit", sumUp);
runTool(["vitest", "vitest.mjs"], args);

function step(name, act) {
  console.log(`-- ${name}`);
  act();
}

function sumUp() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"));
    console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped`);
  } catch {
    console.log("the tests gave no report");
  }
}
