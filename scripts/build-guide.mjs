// The interactive guide: a static page, and beside it the library itself as one function that a simulated machine calls once
// for each process of a run (web/guide/machine).
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./ensure.mjs";

const source = join(root, "web", "guide");
const target = ["chrome123", "firefox121", "safari17.5"];

/** Builds web/guide into a folder: index.html, guide.css, guide.js, and simulation.js, which guide.js imports. */
export async function buildGuide(folder) {
  const { build } = await import("esbuild");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const programs = await bundlePrograms();
  const common = {
    bundle: true,
    minify: true,
    // The names of classes stand in the run folder.
    keepNames: true,
    format: "esm",
    platform: "browser",
    target,
    legalComments: "none",
    logLevel: "warning",
    outdir: folder,
  };
  await build({
    ...common,
    entryPoints: { simulation: join(source, "story", "simulation.ts") },
    // Names of files are read here as the machine writes them.
    alias: { "node:path": join(source, "machine", "posix-path.ts") },
    plugins: [given("programs", `export ${programs}`)],
  });
  return { build, common };
}

// Names that mean Node.js in the library's sources: its globals, and what is different on the machine.
const globals =
  "process,Buffer,setTimeout,clearTimeout,setInterval,clearInterval,setImmediate,clearImmediate,performance,Date,Math,SharedArrayBuffer,globalThis,console";

/** The programs of the library as the text of one function: its modules are made anew with each call. */
async function bundlePrograms() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [join(source, "programs", "programs.ts")],
    bundle: true,
    minifySyntax: true,
    write: false,
    format: "esm",
    platform: "browser",
    target,
    legalComments: "none",
    logLevel: "warning",
    define: { "import.meta.url": JSON.stringify("file:///usr/lib/node_modules/millrace/dist/index.js") },
    alias: { millrace: join(root, "src", "index.ts") },
    plugins: [onTheMachine],
  });
  return `async function boot(platform) { const {${globals}} = platform.globals; ${outputFiles[0].text} }`;
}

/** What is different on the machine: Node's own modules, and the two of the library that reach out of it. */
const onTheMachine = {
  name: "on-the-machine",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = platform.builtins[${JSON.stringify(path)}]`,
    }));
    onResolve({ filter: /\/(choose-scheduler|import-module)\.ts$/ }, ({ path, importer }) => {
      const own = join(source, "programs", path.replace(/^.*\//, ""));
      return importer === own ? undefined : { path: own };
    });
    onLoad({ filter: /web\/guide\/example\/\w+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", `"file:///home/you/${path.replace(/^.*\//, "")}"`),
      loader: "ts",
    }));
  },
};

/** A module that the build makes. */
function given(name, contents) {
  return {
    name,
    setup({ onResolve, onLoad }) {
      const filter = new RegExp(`/${name}\\.built\\.js$`);
      onResolve({ filter }, () => ({ path: name, namespace: name }));
      onLoad({ filter: /.*/, namespace: name }, () => ({ contents, loader: "js" }));
    },
  };
}
