// The real OmegaConf reads the configs of a recipe as ESPnet3 merges them: all values have to agree.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { templateOf } from "../../src/config/recipe-template.ts";

const folder = fileURLToPath(new URL("../fixtures/configs/recipes", import.meta.url));
const recipe = join(folder, "egs3/small_talk/voice/conf");
// Debian installs it for its own Python, which another one on the PATH may hide.
const python = ["/usr/bin/python3", "python3"].find(
  (program) => spawnSync(program, ["-c", "import omegaconf"], { stdio: "ignore" }).status === 0,
);
const names = [
  "training",
  "training_parallel",
  "tuning/training_large",
  "inference",
  "metrics",
  "publication",
  "demo",
] as const;

function askOmegaConf(): unknown[] {
  const cases = names.map((name) => {
    const config = join(recipe, `${name}.yaml`);
    return JSON.stringify({ config, template: templateOf(config) });
  });
  const { stdout, stderr } = spawnSync(python!, [join(folder, "recipe-oracle.py")], {
    input: cases.join("\n"),
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(lines.length, stderr).toBe(names.length);
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe.skipIf(python === undefined)(
  `configs of a recipe beside OmegaConf${python === undefined ? " (skipped: python3-omegaconf is not installed)" : ""}`,
  () => {
    const theirs = python === undefined ? [] : askOmegaConf();
    it.each(names.map((name, i) => [name, i] as const))("agree on all values of %s.yaml", async (name, i) => {
      expect(await loadConfig(join(recipe, `${name}.yaml`))).toEqual(theirs[i]);
    });
  },
);
