import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

const fixtures = fileURLToPath(new URL("../fixtures/", import.meta.url));
// Below the repository, where `millrace` is known.
const built = fileURLToPath(new URL("../../.cache/fixtures/", import.meta.url));

// Their tests start workers by the dozen, and a worker that loads TypeScript takes five times the CPU time to start. Other
// fixtures are TypeScript in workers too.
const names =
  "(batches|conformance|deadly|deadly-\\w+|field-providers|large-state|own-options|reports-its-worker|slow-checkpoints)\\.ts";

/** What has tests import these fixtures as JavaScript. */
export const builtFixturesAlias = {
  find: new RegExp(`^.*/fixtures/(?:providers|runners)/${names}$`),
  replacement: join(built, "$1.js"),
};

/** Builds them before the first test. */
export default function buildFixtures(): void {
  mkdirSync(built, { recursive: true });
  const sources = ["providers", "runners"].flatMap((folder) =>
    readdirSync(join(fixtures, folder)).map((name) => join(fixtures, folder, name)),
  );
  for (const source of sources.filter((path) => new RegExp(`/${names}$`).test(path))) {
    const { code } = transformSync(readFileSync(source, "utf8"), { loader: "ts", target: "node20.19" });
    const file = join(built, `${basename(source, ".ts")}.js`);
    if (existsSync(file) && readFileSync(file, "utf8") === code) continue;
    // Another test run may be reading it.
    writeFileSync(`${file}.${process.pid}`, code);
    renameSync(`${file}.${process.pid}`, file);
  }
}
