import { join } from "node:path";
import { expect, it } from "vitest";
import { findProjectRoot } from "../../../src/config/find-project-root.ts";
import { writeFiles } from "../../support/write-files.ts";

it("finds the nearest package.json above a config", () => {
  const folder = writeFiles({
    "package.json": "{}",
    "sub/package.json": "{}",
    "sub/conf/a.yaml": "",
    "conf/a.yaml": "",
  });
  expect(findProjectRoot(join(folder, "sub/conf/a.yaml"))).toBe(join(folder, "sub"));
  expect(findProjectRoot(join(folder, "conf/a.yaml"))).toBe(folder);
});

it("takes the config's own folder where there is none", () => {
  const folder = writeFiles({ "conf/a.yaml": "" });
  expect(findProjectRoot(join(folder, "conf/a.yaml"))).toBe(join(folder, "conf"));
});
