import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** Which folder of src may import which: a folder knows only those above it. */
const mayImport: Record<string, readonly string[]> = {
  shared: [],
  audio: ["shared"],
  config: ["shared"],
  features: ["shared"],
  models: ["shared"],
  formats: ["shared"],
  plan: ["shared"],
  provider: ["shared"],
  code: ["shared", "config"],
  store: ["shared", "plan", "code"],
  writers: ["shared", "formats", "store"],
  merge: ["shared", "formats", "store", "writers"],
  worker: ["shared", "plan", "provider", "store", "writers"],
  launchers: ["shared", "config", "store", "worker"],
  drive: ["shared", "config", "plan", "provider", "code", "store", "merge", "worker", "launchers"],
  runner: ["shared", "config", "plan", "provider", "code", "store", "writers", "merge", "worker", "launchers", "drive"],
  join: ["shared", "config", "provider", "code", "store", "worker", "runner"],
  job: ["shared", "store", "worker", "launchers", "drive", "runner", "join"],
  dashboard: ["shared", "plan", "store", "worker", "launchers", "drive"],
  recipes: ["index.ts", "formats.ts", "speech.ts"],
  cli: [
    "shared",
    "recipes",
    "config",
    "plan",
    "provider",
    "code",
    "store",
    "worker",
    "launchers",
    "drive",
    "runner",
    "join",
    "dashboard",
  ],
};

/** The public API: a file for each export of the package. */
const entries = ["index.ts", "formats.ts", "speech.ts", "recipes.ts"];

const root = fileURLToPath(new URL("..", import.meta.url));
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"))
  .sort();
const textOf = (file: string) => readFileSync(join(root, "src", file), "utf8");

/** What a file imports or exports from elsewhere: own files relative to src, others by their name. */
function importsOf(file: string): string[] {
  const statements = textOf(file).matchAll(
    /^(?:import|export)\b[^;"]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...statements].map(([, from, bare, dynamic]) => {
    const name = (from ?? bare ?? dynamic)!;
    return name.startsWith(".") ? relative(root, join(root, dirname(file), name)).replaceAll("\\", "/") : name;
  });
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const folderOf = (file: string) => file.split("/")[0]!;
const isOwn = (name: string) => files.includes(name);

/** Every import that a folder is not allowed, as "file -> import". */
function forbidden(isAllowed: (file: string, name: string) => boolean, from = files): string[] {
  return from.flatMap((file) =>
    imports
      .get(file)!
      .filter((name) => !isAllowed(file, name))
      .map((name) => `${file} -> ${name}`),
  );
}

/** The first circle of imports that is found, as the files on it. */
function findCycle(): string[] | undefined {
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const next of imports.get(file)!.filter(isOwn)) {
      const cycle = visit(next, [...path, file]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of files) {
    const cycle = visit(file, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

describe("the sources", () => {
  it("are read: their imports are found", () => {
    const missing = forbidden((_file, name) => isOwn(name) || name.startsWith("node:") || dependencies.includes(name));
    expect(missing).toEqual([]);
    expect([...imports.values()].flat().length).toBeGreaterThan(200);
  });

  it("stand in folders of the import table, but for the public API", () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...Object.keys(mayImport), ...entries].sort());
  });

  it("have an import table that runs in one direction", () => {
    const order = Object.keys(mayImport);
    const backwards = order.filter((folder, i) =>
      mayImport[folder]!.some((other) => !entries.includes(other) && !order.slice(0, i).includes(other)),
    );
    expect(backwards).toEqual([]);
  });

  it("import only what the table allows their folder", () => {
    const isAllowed = (file: string, name: string) => {
      if (!isOwn(name) || entries.includes(file) || folderOf(name) === folderOf(file)) return true;
      return mayImport[folderOf(file)]!.includes(folderOf(name));
    };
    expect(forbidden(isAllowed)).toEqual([]);
  });

  it("have a pure plan: it imports nothing of Node.js", () => {
    const plan = files.filter((file) => folderOf(file) === "plan");
    expect(forbidden((_file, name) => !name.startsWith("node:"), plan)).toEqual([]);
  });

  it("have pure features: they import nothing of Node.js and no library", () => {
    const features = files.filter((file) => folderOf(file) === "features");
    expect(forbidden((_file, name) => isOwn(name), features)).toEqual([]);
  });

  it("have no import cycles", () => {
    expect(findCycle()).toBeUndefined();
  });

  it("name the machinery's folder in one file", () => {
    expect(files.filter((file) => textOf(file).includes(".millrace"))).toEqual(["store/run-paths.ts"]);
  });

  it("have at most 300 lines each", () => {
    expect(files.filter((file) => textOf(file).split("\n").length - 1 > 300)).toEqual([]);
  });
});

describe("package.json", () => {
  const { exports: exported } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: object };
  const paths = Object.values(exported).flatMap((entry: string | object) =>
    typeof entry === "string" ? [entry] : (Object.values(entry) as string[]),
  );

  it.each(paths)("exports %s, which the build makes from a source", (path) => {
    expect(existsSync(join(root, path))).toBe(true);
    const source = /^\.\/dist\/(.+?)(\.d\.ts|\.js)$/.exec(path)?.[1];
    if (source !== undefined) expect(files).toContain(`${source}.ts`);
  });
});
