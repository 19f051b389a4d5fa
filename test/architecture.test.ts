import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { folders, folderTable, launcherFolders } from "./folders.ts";

/** The public API: a file for each export of the package. */
const entries = ["index.ts", "formats.ts", "speech.ts", "recipes.ts", "datasets.ts"];

const root = fileURLToPath(new URL("..", import.meta.url));
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"))
  .sort();
const folderOf = (file: string) => file.split("/")[0]!;
const textOf = (file: string) => readFileSync(join(root, "src", file), "utf8");

/** What a file imports or exports from elsewhere: own files relative to src, others by their name. */
function importsOf(file: string, statement: RegExp): string[] {
  return [...textOf(file).matchAll(statement)].map(([, from, bare]) => {
    const name = (from ?? bare)!;
    return name.startsWith(".") ? relative(root, join(root, dirname(file), name)).replaceAll("\\", "/") : name;
  });
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const loads = new Map(files.map((file) => [file, importsOf(file, /\bimport\("([^"]+)"\)/g)]));
const imports = new Map(
  files.map((file) => {
    const atOnce = importsOf(file, /^(?:import|export)\b[^;"]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"/gm);
    const lazily = folders[folderOf(file)]?.lazily ?? [];
    return [file, [...atOnce, ...loads.get(file)!.filter((name) => !lazily.includes(folderOf(name)))]];
  }),
);
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

  it("are in folders of the import table, but for the public API", () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...Object.keys(folders), ...entries].sort());
  });

  it("have an import table in one direction", () => {
    const order = Object.keys(folders);
    const backwards = order.filter((folder, i) =>
      folders[folder]!.imports.some((other) => !entries.includes(other) && !order.slice(0, i).includes(other)),
    );
    expect(backwards).toEqual([]);
  });

  it("need every import that the table allows", () => {
    const used = new Set(
      files.flatMap((file) => [
        ...imports.get(file)!.map((name) => `${folderOf(file)} imports ${folderOf(name)}`),
        ...loads.get(file)!.map((name) => `${folderOf(file)} loads ${folderOf(name)}`),
      ]),
    );
    const allowed = Object.entries(folders).flatMap(([folder, { imports: some, lazily = [] }]) => [
      ...some.map((other) => `${folder} imports ${other}`),
      ...lazily.map((other) => `${folder} loads ${other}`),
    ]);
    expect(allowed.filter((one) => !used.has(one))).toEqual([]);
  });

  it("are described in ARCHITECTURE.md by this very table", () => {
    const path = join(root, "ARCHITECTURE.md");
    const [before, after] = ["<!-- folders -->\n\n", "\n\n<!-- /folders -->"];
    const text = readFileSync(path, "utf8");
    const [from, to] = [text.indexOf(before) + before.length, text.indexOf(after)];
    if (process.env["MILLRACE_GOLDEN"] === "1")
      writeFileSync(path, text.slice(0, from) + folderTable() + text.slice(to));
    else expect(text.slice(from, to)).toBe(folderTable());
  });

  it("have the files that the table says to open first", () => {
    const named = Object.entries(folders).flatMap(([folder, { first }]) => first.map((file) => `${folder}/${file}`));
    expect(named.filter((file) => !isOwn(file))).toEqual([]);
  });

  it("import only what the table allows their folder", () => {
    const isAllowed = (file: string, name: string) => {
      if (!isOwn(name) || entries.includes(file) || folderOf(name) === folderOf(file)) return true;
      return folders[folderOf(file)]!.imports.includes(folderOf(name));
    };
    expect(forbidden(isAllowed)).toEqual([]);
  });

  it("import the folders of launchers/ in the directions of the table", () => {
    const partOf = (file: string) => /^launchers\/([\w-]+)\//.exec(file)?.[1];
    const crossing = files.flatMap((file) => {
      const from = partOf(file);
      const to = imports.get(file)!.flatMap((name) => partOf(name) ?? []);
      return from === undefined ? [] : to.filter((other) => other !== from).map((other) => `${from} -> ${other}`);
    });
    const allowed = Object.entries(launcherFolders).flatMap(([from, some]) => some.map((to) => `${from} -> ${to}`));
    expect([...new Set(crossing)].sort()).toEqual(allowed.sort());
    // A file beside the folders is below them or above them, never both.
    const inFolders = files.filter((file) => partOf(file) !== undefined);
    const below = new Set(
      inFolders.flatMap((file) => imports.get(file)!.filter((name) => /^launchers\/[^/]+$/.test(name))),
    );
    expect(forbidden((_file, name) => partOf(name) === undefined, [...below])).toEqual([]);
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
    expect(files.filter((file) => textOf(file).includes(".millrace"))).toEqual(["run-folder/files/run-paths.ts"]);
  });

  // Whatever is written, moved or removed below a run folder passes through run-folder/files/run-files.ts, which
  // refuses a path that leads out of it. These few write by themselves, each for a reason.
  const mayWrite: Readonly<Record<string, string>> = {
    "run-folder/files/run-files.ts": "it is that module",
    "run-folder/files/durable-files.ts":
      "the ways to put a file in place, which that module uses; other folders use them for files of the user's",
    "run-folder/files/create-file.ts": "the way to create a file, which that module uses",
    "run-folder/files/file-owner.ts":
      "it makes an empty file among the jobs, and removes it, to see which owner files get there",
    "run-folder/files/store-calls.ts": "the calls themselves, which that module uses",
    "run-folder/run/publish-records.ts": "it writes into resultDir, a folder of the user's",
    "driver/submit-run.ts": "it writes into asyncSpecsDir, a folder of the user's",
    "driver/temporary-folder.ts": "it makes and removes a folder of its own outside of any run",
    "cli/detach.ts": "it makes the run folder, and removes it again where no run was begun",
    "run-folder/files/probe-file-system.ts": "it tries a file system out in a folder of its own",
    "cli/init.ts": "it makes a project",
  };

  it("write below a run folder through one module", () => {
    const writer =
      /\b(writeFile|appendFile|mkdir|mkdtemp|rename|rm|rmdir|unlink|link|symlink|copyFile|cp|truncate|ftruncate|chmod|fchmod|chown|utimes|futimes|createWriteStream)(Sync)?\b/;
    const writing = ["run-folder", "merge", "driver", "node-job", "dashboard", "cli"];
    const writers = files.filter((file) => {
      const imports = /^import \{([^}]*)\} from "(?:node:fs(?:\/promises)?|[^"]*\/store-calls\.ts)";/gm;
      const names = [...textOf(file).matchAll(imports)].map(([, found]) => found!).join();
      // Opening is writing too, but for what is opened to be read.
      const opens = [...textOf(file).matchAll(/\bopenSync\([^;]*?, ([^;]*)\);/g)].map(([, flags]) => flags!);
      const opensToWrite = opens.some((flags) => !/^"r"$|O_RDONLY/.test(flags));
      return writer.test(names) || opensToWrite;
    });
    const isOfRuns = (file: string) => writing.includes(folderOf(file));
    expect(writers.filter(isOfRuns).sort()).toEqual(Object.keys(mayWrite).sort());
    expect(writers).toContain("writers/line-writer.ts");
  });

  it("put a file in place, outside of that module, only where the user has named it", () => {
    const users = files.filter((file) => /\b(writeFileAtomic|replaceAtomic|createFile)\(/.test(textOf(file)));
    expect(users).toEqual([
      "cli/report.ts", // --out
      "driver/submit-run.ts", // asyncSpecsDir
      "run-folder/files/create-file.ts",
      "run-folder/files/durable-files.ts",
      "run-folder/files/run-files.ts",
      "run-folder/run/publish-records.ts", // asyncResultDir
      "writers/shard-parts.ts", // in the folder of its own attempt
    ]);
  });

  // A small file with one importer is a part of it, unless one of these says why it is a file of its own.
  const smallLines = 40;
  const longLines = 200;
  // Each implementation of these contracts has its own file.
  const contracts = [
    "launchers/launcher.ts",
    "audio/pcm/pcm-layout.ts",
    "checkpoints/espnet/parts.ts",
    "recipes/xvector/toolkits/toolkit.ts",
  ];
  const linesOf = (file: string) => textOf(file).split("\n").length - 1;
  const testTexts = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, "test", name), "utf8"));
  const programs = readdirSync(join(root, "web", "guide", "programs"));
  const reasons: Readonly<Record<string, (file: string, importer: string) => boolean>> = {
    "the importer would be long with it": (file, importer) => linesOf(file) + linesOf(importer) > longLines,
    "it serves another folder, or the public API": (file, importer) => dirname(file) !== dirname(importer),
    "it implements a contract": (file) => imports.get(file)!.some((name) => contracts.includes(name)),
    "it is loaded when it is needed": (file, importer) => loads.get(importer)!.includes(file),
    "the guide has another program for it": (file) => programs.includes(basename(file)),
    "it is one of the few that write": (file) => file in mayWrite,
    "it has a test of its own": (file) => testTexts.some((text) => text.includes(`/src/${file}"`)),
  };

  it("have no small file with one importer without a reason", () => {
    const importers = new Map<string, string[]>();
    for (const file of files)
      for (const name of new Set([...imports.get(file)!, ...loads.get(file)!]))
        importers.set(name, [...(importers.get(name) ?? []), file]);
    const parts = files.filter((file) => linesOf(file) < smallLines && importers.get(file)?.length === 1);
    const used = new Set<string>();
    const without = parts.filter((file) => {
      const some = Object.keys(reasons).filter((reason) => reasons[reason]!(file, importers.get(file)![0]!));
      if (some.length === 1) used.add(some[0]!);
      return some.length === 0;
    });
    expect(without).toEqual([]);
    // A reason that no file needs is removed.
    expect(Object.keys(reasons).filter((reason) => !used.has(reason))).toEqual([]);
  });

  it("have at most 300 lines each", () => {
    expect(files.filter((file) => textOf(file).split("\n").length - 1 > 300)).toEqual([]);
  });
});

describe("the tests", () => {
  it("have no two files of code with the same name", () => {
    const names = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.[cm]?[jt]s$/.test(name))
      .map((name) => basename(name))
      .sort();
    expect(names.length).toBeGreaterThan(300);
    expect(names.filter((name, i) => name === names[i - 1])).toEqual([]);
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
