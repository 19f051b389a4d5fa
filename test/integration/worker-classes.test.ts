import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import {
  BaseRunner,
  EnvironmentProvider,
  type ErrorCode,
  type Items,
  type ParallelInput,
  type RunnerOptions,
  range,
} from "millrace";
import { describe, expect, it } from "vitest";
import DefaultRunner, {
  BrokenProvider,
  DataProvider,
  HeirProvider,
  HeirRunner,
  hidden,
  LateFieldProvider,
  ObjectSetupProvider,
  OneArgumentProvider,
  OuterName,
  PromiseSetupProvider,
  ShowRunner,
  ThreeArgumentsProvider,
} from "../fixtures/children/worker-classes.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const inProcess: ParallelInput = { env: "process", n_workers: 1 };
const inThread: ParallelInput = { env: "thread", n_workers: 1 };
const both = [
  ["process", inProcess],
  ["thread", inThread],
] as const;

describe("a worker finds the classes", () => {
  const use = (from: string, parallel: ParallelInput) => `
    import { range } from "millrace";
    import { Greeter, Greetings } from "${from}";
    ${startRun(parallel)}`;

  it.each(both)("of a JavaScript module, in a %s", async (_env, parallel) => {
    const folder = project({ "lib/runners.mjs": classes(), "main.mjs": use("./lib/runners.mjs", parallel) });
    expect(await node(folder, "main.mjs")).toEqual(greeted);
  });

  it.each(both)("of a TypeScript module that a script in JavaScript uses, in a %s", async (_env, parallel) => {
    const folder = project({ "lib/runners.ts": typedClasses, "main.mjs": use("./lib/runners.ts", parallel) });
    expect(await node(folder, "--import", "tsx", "main.mjs")).toEqual(greeted);
  });

  it.each([
    ["a relative path, seen from where the run was started", `"./lib/runners.mjs"`],
    ["an absolute path", "import.meta.filename"],
  ])("by %s", async (_name, module) => {
    const folder = project({ "lib/runners.mjs": classes(module), "main.mjs": use("./lib/runners.mjs", inProcess) });
    expect(await node(folder, "main.mjs")).toEqual(greeted);
  });

  it.each([
    ["", "./runners.js"],
    [" that is for import only", { import: "./runners.js" }],
  ])("in a package%s", async (_name, entry) => {
    const description = { name: "my-pkg", type: "module", exports: { "./runners": entry } };
    const folder = project({
      "node_modules/my-pkg/package.json": JSON.stringify(description),
      "node_modules/my-pkg/runners.js": classes(`"my-pkg/runners"`),
      "main.mjs": use("my-pkg/runners", inProcess),
    });
    expect(await node(folder, "main.mjs")).toEqual(greeted);
  });

  it.each([
    ["its default export", DefaultRunner],
    ["exported under another name", OuterName],
  ])("where one is %s, and loads TypeScript without an option", async (_name, runner) => {
    await expect(new runner(new DataProvider({}), quietly(inThread)).run(range(1))).resolves.toEqual(["{}"]);
  });
});

describe("a script in TypeScript holds the classes and starts the run", () => {
  const script = (parallel: ParallelInput) => `${typedClasses}
    import { isMainModule, range } from "millrace";
    if (isMainModule(import.meta.url)) { ${startRun(parallel)} }`;
  const tsxProgram = "node_modules/tsx/dist/cli.mjs";

  it.each(both)("with node --import tsx, in a %s", async (_env, parallel) => {
    expect(await node(project({ "main.ts": script(parallel) }), "--import", "tsx", "main.ts")).toEqual(greeted);
  });

  it.each(both)("with the tsx program, in a %s", async (_env, parallel) => {
    expect(await node(project({ "main.ts": script(parallel) }), tsxProgram, "main.ts")).toEqual(greeted);
  });

  it.each(both)("in a project that does not say it is of type module, in a %s", async (_env, parallel) => {
    const inFunction = script(parallel).replace(/if \(isMainModule.*$/s, (all) => `void (async () => { ${all} })();`);
    const folder = project({ "main.ts": inFunction, "package.json": "{}" });
    expect(await node(folder, "--import", "tsx", "main.ts")).toEqual(greeted);
  });
});

describe("a script that starts a run when a worker imports it gets an error that says so", () => {
  const refused = { code: 1, stdout: "", stderr: expect.stringMatching(/was started in a worker[\s\S]*isMainModule/) };

  it.each(both)("where it waits for the run, in a %s", async (_env, parallel) => {
    const folder = project({ "main.mjs": `${classes()} import { range } from "millrace"; ${startRun(parallel)}` });
    const { code, stdout, stderr } = await node(folder, "main.mjs");
    expect({ code, stdout, stderr }).toEqual(refused);
    expect(stderr).toContain("RUN_IN_WORKER");
  });

  it.each(both)("where it does not wait, in a %s", async (_env, parallel) => {
    const main = `${classes()} import { range } from "millrace"; const main = async () => { ${startRun(parallel)} }; main();`;
    const { code, stdout, stderr } = await node(project({ "main.mjs": main }), "main.mjs");
    expect({ code, stdout, stderr }).toEqual(refused);
    expect(stderr).toContain("RUN_IN_WORKER");
  });

  it.each(both)("where it ends the process by itself, in a %s", async (_env, parallel) => {
    const main = `${classes()} import { range } from "millrace"; const main = async () => { ${startRun(parallel)} };
      main().catch((error) => { console.error(error); process.exit(1); });`;
    expect(await node(project({ "main.mjs": main }), "main.mjs")).toEqual(refused);
  });
});

interface Refusal {
  readonly start: (options: RunnerOptions) => { run(items: Items): Promise<unknown> };
  readonly code: ErrorCode;
  readonly message: RegExp;
  readonly hint: RegExp;
}

async function expectRefusal({ start, code, message, hint }: Refusal, options: RunnerOptions) {
  const [match, help] = [expect.stringMatching(message), expect.stringMatching(hint)];
  await expect(start({ progress: false, ...options }).run(range(2))).rejects.toMatchObject({
    code,
    message: match,
    hint: help,
  });
}

const showWith = (provider: EnvironmentProvider<{ params: object }>) => (options: RunnerOptions) =>
  new ShowRunner(provider, options);

describe("what a worker could not find or get is refused before anything is made", () => {
  class NoModuleRunner extends BaseRunner<object, number> {
    static forward(idx: number) {
      return idx;
    }
  }
  class NoModuleProvider extends EnvironmentProvider<{ params: object }, object> {
    buildEnvLocal() {
      return { params: {} };
    }
  }
  const nameless = {
    runner: () =>
      class extends ShowRunner {
        static override readonly module = import.meta.url;
      },
    provider: () =>
      class extends DataProvider {
        static override readonly module = import.meta.url;
      },
  };
  const addModule = /define(?:Runner|Provider)\(import\.meta, \w+\);.*export the class/;
  const passData = /Pass a name or a path.*buildEnvLocal/;
  const itself: { me?: object } = {};
  itself.me = itself;

  const refusals: Record<string, Refusal> = {
    "a runner without module": {
      start: (options) => new NoModuleRunner(new DataProvider({}), options),
      code: "BAD_RUNNER",
      message: /NoModuleRunner has no static `module`/,
      hint: addModule,
    },
    "a provider without module": {
      start: showWith(new NoModuleProvider({})),
      code: "BAD_PROVIDER",
      message: /NoModuleProvider has no static `module`/,
      hint: addModule,
    },
    "a runner that inherits its module": {
      start: (options) => new HeirRunner(new DataProvider({}), options),
      code: "BAD_RUNNER",
      message: /HeirRunner has its `module` from the class it extends/,
      hint: addModule,
    },
    "a provider that inherits its module": {
      start: showWith(new HeirProvider({})),
      code: "BAD_PROVIDER",
      message: /HeirProvider has its `module` from the class it extends/,
      hint: addModule,
    },
    "a runner without a name": {
      start: (options) => new (nameless.runner())(new DataProvider({}), options),
      code: "BAD_RUNNER",
      message: /without a name/,
      hint: /Give the class a name/,
    },
    "a provider without a name": {
      start: showWith(new (nameless.provider())({})),
      code: "BAD_PROVIDER",
      message: /without a name/,
      hint: /Give the class a name/,
    },
    "a function in the params": {
      start: showWith(new DataProvider({}, { cleaner: (text: string) => text })),
      code: "BAD_PROVIDER",
      message: /params\.cleaner of DataProvider is the function cleaner/,
      hint: /defineFunction\(import\.meta/,
    },
    "a WeakMap deep in the params": {
      start: showWith(new DataProvider({}, { tables: [{ words: new WeakMap() }] })),
      code: "BAD_PROVIDER",
      message: /params\.tables\[0\]\.words of DataProvider is a WeakMap/,
      hint: passData,
    },
    "an instance in the params": {
      start: showWith(new DataProvider({}, { error: new TypeError("no") })),
      code: "BAD_PROVIDER",
      message: /params\.error of DataProvider is a TypeError/,
      hint: passData,
    },
    "a function in the config": {
      start: showWith(new DataProvider({ model: { load: () => 0 } })),
      code: "BAD_PROVIDER",
      message: /config\.model\.load of DataProvider is the function load/,
      hint: /defineFunction\(import\.meta/,
    },
    "params that refer to themselves": {
      start: showWith(new DataProvider({}, itself)),
      code: "BAD_OPTION",
      message: /params\.me refers to itself/,
      hint: /plain data/,
    },
  };
  it.each(Object.entries(refusals))("%s", async (_what, refusal) => {
    const outputDir = temporaryFolder();
    for (const [, parallel] of both) await expectRefusal(refusal, { parallel, outputDir });
    expect(readdirSync(outputDir)).toEqual([]);
  });

  it.each([
    [
      "process",
      { thread_per_worker: 2 },
      /"thread_per_worker" is not known to env process/,
      /mean threads_per_worker\?/,
    ],
    ["thread", { heap_mb: 100 }, /"heap_mb" is not known to env thread/, /Valid: max_heap_mb/],
    ["local_gpu", { worker_per_gpu: 2 }, /"worker_per_gpu" is not known to env local_gpu/, /mean workers_per_gpu\?/],
  ] as const)("an option that env %s does not have: %o", async (env, options, message, hint) => {
    const outputDir = temporaryFolder();
    const refusal = {
      start: showWith(new DataProvider({})),
      code: "BAD_OPTION",
      message,
      hint,
    } as const;
    await expectRefusal(refusal, { parallel: { env, n_workers: 1, options }, outputDir });
    expect(readdirSync(outputDir)).toEqual([]);
  });
});

describe.each(both)("what only a worker can notice stops the run, in a %s", (_env, parallel) => {
  const refusals: Record<string, Refusal> = {
    "a runner that is not exported": {
      start: (options) => new hidden.HiddenRunner(new DataProvider({}), options),
      code: "BAD_RUNNER",
      message: /worker-classes\.ts does not export a class HiddenRunner/,
      hint: /`export class HiddenRunner`.*It exports .*ShowRunner/,
    },
    "a provider that is not exported": {
      start: showWith(new hidden.HiddenProvider({})),
      code: "BAD_PROVIDER",
      message: /worker-classes\.ts does not export a class HiddenProvider/,
      hint: /`export class HiddenProvider`/,
    },
    "a buildWorkerSetupFn that returns an object": {
      start: showWith(new ObjectSetupProvider({})),
      code: "BAD_PROVIDER",
      message: /ObjectSetupProvider\.buildWorkerSetupFn returned an object/,
      hint: /Return a function/,
    },
    "a buildWorkerSetupFn that returns a promise": {
      start: showWith(new PromiseSetupProvider({})),
      code: "BAD_PROVIDER",
      message: /PromiseSetupProvider\.buildWorkerSetupFn returned a Promise/,
      hint: /Return a function/,
    },
  };
  it.each(Object.entries(refusals))("%s", (_what, refusal) => expectRefusal(refusal, { parallel }));

  it("an env that cannot be built, with the reason", async () => {
    await expect(new ShowRunner(new BrokenProvider({}), quietly(parallel)).run(range(2))).rejects.toMatchObject({
      code: "ENV_FAILED",
      message: expect.stringContaining("BrokenProvider could not build the env: model.onnx not found"),
      cause: expect.objectContaining({ message: "model.onnx not found" }),
    });
  });

  it("a module that cannot be loaded without what the script did before", async () => {
    const runners = `if (globalThis.settings === undefined) throw new Error("no settings");\n${classes()}`;
    const main = `import { range } from "millrace";
      globalThis.settings = {};
      const { Greeter, Greetings } = await import("./runners.mjs");
      ${startRun(parallel)}`;
    const { code, stderr } = await node(project({ "runners.mjs": runners, "main.mjs": main }), "main.mjs");
    expect(code).toBe(1);
    expect(stderr).toMatch(/could not import .*runners\.mjs for Greetings: no settings[\s\S]*in a new process/);
  });
});

describe.each(both)("params arrive as they were, in a %s", (_env, parallel) => {
  it.each([
    [
      "typed arrays",
      { floats: Float32Array.of(1.5, Number.NaN, -0), wide: BigInt64Array.of(-1n), none: new Int8Array() },
    ],
    ["a Buffer", { key: Buffer.from("abc") }],
    ["numbers", { numbers: [Number.NaN, -0, Number.POSITIVE_INFINITY, 2 ** 53], big: 10n ** 30n }],
    ["undefined and null", { list: [undefined, null, [undefined]], nothing: null, gone: undefined }],
    [
      "a Map, a Set, a Date, a pattern and a URL",
      { all: [new Map([["a", new Set([1])]]), new Date(0), /a/g, new URL("a:b")] },
    ],
    ["texts and names", { "": "語\u2028\ud800", $millrace: "number", nested: { $millrace: "undefined" } }],
  ])("%s", async (_name, params) => {
    const records = await new ShowRunner(new DataProvider({}, params), quietly(parallel)).run(range(1));
    expect(records).toEqual([inspect(params, { depth: null })]);
  });
});

describe.each(both)("a provider is the driver's whatever its constructor takes, in a %s", (_env, parallel) => {
  const setLater = new LateFieldProvider({});
  setLater.table = ["a", "b"];

  it.each<[string, EnvironmentProvider<{ params: object }>, object]>([
    ["one object", new OneArgumentProvider({ path: "a", size: 3 }), { size: 3 }],
    ["three arguments", new ThreeArgumentsProvider({}, {}, ["a"]), { first: "a" }],
    ["config and params, and a field was set later", setLater, { table: ["a", "b"] }],
  ])("%s", async (_what, provider, params) => {
    expect(await new ShowRunner(provider, quietly(parallel)).run(range(1))).toEqual([inspect(params)]);
  });
});

function quietly(parallel: ParallelInput) {
  return { progress: false, parallel };
}

const greeted = { code: 0, stdout: '["hello 0","hello 1","hello 2"]\n', stderr: "" };

/** A provider and a runner as a user writes them. */
function classes(module = "import.meta.url"): string {
  return `
    import { BaseRunner, EnvironmentProvider } from "millrace";
    export class Greeter extends EnvironmentProvider {
      static module = ${module};
      buildEnvLocal() { return { greeting: this.config.greeting }; }
    }
    export class Greetings extends BaseRunner {
      static module = ${module};
      static forward(idx, { greeting }) { return greeting + idx; }
    }`;
}

const typedClasses = classes()
  .replace("extends EnvironmentProvider", "extends EnvironmentProvider<{ greeting: string }, { greeting: string }>")
  .replace("extends BaseRunner", "extends BaseRunner<{ greeting: string }, string>")
  .replace("(idx, { greeting })", "(idx: number, { greeting }: { greeting: string })");

function startRun(parallel: ParallelInput): string {
  return `
    const options = { progress: false, parallel: ${JSON.stringify(parallel)} };
    const records = await new Greetings(new Greeter({ greeting: "hello " }), options).run(range(3));
    console.log(JSON.stringify(records));`;
}

const repository = fileURLToPath(new URL("../../", import.meta.url));

/** A user's project in a temporary folder, with this package and tsx linked into it. */
function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  const all = { "package.json": '{ "type": "module" }', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(repository, join(folder, "node_modules", "millrace"));
  symlinkSync(join(repository, "node_modules", "tsx"), join(folder, "node_modules", "tsx"));
  return folder;
}

/** Runs a program of a project to its end; one that hangs is ended. */
function node(folder: string, ...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_NO_WARNINGS: "1" };
    execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: 250_000, killSignal: "SIGKILL" },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}
