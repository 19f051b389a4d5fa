import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parallelEnvs } from "../../../../src/config/parallel-envs.ts";
import { configText } from "../../../../web/guide/story/example-files.ts";
import { remarks } from "../../../../web/guide/story/narration.ts";
import { usualSettings } from "../../../../web/guide/story/settings.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const files = ["src", "web/guide/example"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(root, folder, name)),
);

describe.each(Object.entries(remarks))("the remark on %s", (_occasion, { code, config, why }) => {
  it("points at a line of a source that is there", () => {
    const path = files.find((file) => basename(file) === code.file);
    const lines = readFileSync(path!, "utf8").split("\n");
    expect(lines.filter((line) => line.includes(code.line)).length).toBeGreaterThan(0);
  });

  it("points at a line of every config, where it points at one", () => {
    const configs = parallelEnvs.map((env) => configText({ ...usualSettings, env }));
    expect(configs.filter((text) => !text.includes(config ?? ""))).toEqual([]);
  });

  it("is one or two sentences", () => {
    expect(why.match(/[.:?]( |$)/g)?.length).toBeLessThanOrEqual(3);
    expect(why.length).toBeLessThan(200);
  });
});
