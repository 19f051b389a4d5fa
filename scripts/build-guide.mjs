// Builds the interactive guide: a static page, and the library itself as one function that a machine in memory calls
// once for each process and each thread of a run (web/guide/machine).
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./ensure.mjs";

const source = join(root, "web", "guide");
const textOf = (path) => readFileSync(path, "utf8");

const common = {
  bundle: true,
  format: "esm",
  platform: "browser",
  target: ["chrome123", "firefox121", "safari17.5"],
  legalComments: "none",
  logLevel: "warning",
};

/** Builds web/guide into a folder: index.html, guide.css, guide.js, and simulation.js, which guide.js imports. */
export async function buildGuide(folder) {
  const { build } = await import("esbuild");
  mkdirSync(folder, { recursive: true });
  for (const name of ["index.html", "guide.css", "icon.svg"]) copyFileSync(join(source, name), join(folder, name));
  const page = { ...common, minify: true, outdir: folder };
  await build({
    ...page,
    entryPoints: { simulation: join(source, "story", "simulation.ts") },
    // File names are read here in the form in which the machine writes them.
    alias: { "node:path": join(source, "machine", "posix-path.ts") },
    plugins: [given({ programs: `export ${await programsText()}` })],
  });
  await build({
    ...page,
    entryPoints: { guide: join(source, "main.tsx") },
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [
      given({
        sources: `export const sources = ${JSON.stringify(pointedAt())}`,
        fields: `export const fields = ${JSON.stringify(await configFields())}`,
      }),
      besides,
    ],
  });
}

// Names that mean Node.js in the library's sources: its globals, and what differs on the machine.
const globals = [
  "process, Buffer, console, globalThis, performance, Date, Math, SharedArrayBuffer",
  "setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate",
].join(", ");

/** The programs of the library as the text of one function: each call creates its modules again. */
async function programsText() {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...common,
    minifySyntax: true,
    write: false,
    entryPoints: [join(source, "programs", "programs.ts")],
    define: { "import.meta.url": JSON.stringify("file:///usr/lib/node_modules/millrace/dist/index.js") },
    alias: { millrace: join(root, "src", "index.ts") },
    plugins: [onTheMachine],
  });
  return `async function boot(platform) { const { ${globals} } = platform.globals; ${outputFiles[0].text} }`;
}

/** What differs on the machine: Node's own modules, the library modules that access the outside or block, and what no run of the guide uses. */
const onTheMachine = {
  name: "on-the-machine",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = platform.builtins[${JSON.stringify(path)}]`,
    }));
    onResolve(
      {
        filter:
          /\/(choose-scheduler|import-module|every-tick|run-in-flight|open-shards|call-ahead|open-rate-limiter|espnet3-resolvers|recipe-template|tsconfig-paths|explain-unknown-option|looks-secret|file-system|is-slow-folder|grown-ttl|check-load-arguments|why-stalled|cgroup-memory|inspect-slow-shard|require-fit-file-system|retry-failed|retry-shard|format-date|parse-override|apply-overrides|group-choices|defaults-tree)\.ts$/,
      },
      ({ path, importer }) => {
        const own = join(source, "programs", basename(path));
        return importer === own ? undefined : { path: own };
      },
    );
    onLoad({ filter: /[/\\]guide[/\\]example[/\\]\w+\.ts$/ }, ({ path }) => ({
      contents: inItsPlace(textOf(path), basename(path)),
      loader: "ts",
    }));
  },
};

/**
 * A file of the example at its path on the machine. The run folder contains the names of its classes, so they must
 * stay.
 */
function inItsPlace(text, name) {
  const classes = [...text.matchAll(/^export class (\w+)/gm)].map(([, found]) => found);
  const named = classes.map((found) => `Object.defineProperty(${found}, "name", { value: "${found}" });`);
  return [text.replaceAll("import.meta.url", JSON.stringify(`file:///home/you/${name}`)), ...named].join("\n");
}

/** The page beside the simulation. Unused library code that needs Node.js is left out. */
const besides = {
  name: "besides",
  setup({ onResolve }) {
    onResolve({ filter: /\/story\/simulation\.ts$/ }, () => ({ path: "./simulation.js", external: true }));
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

/** Modules that the build generates, by their names before `.built.js`. */
function given(modules) {
  return {
    name: "given",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.built\.js$/ }, ({ path }) => ({ path: basename(path, ".built.js"), namespace: "given" }));
      onLoad({ filter: /.*/, namespace: "given" }, ({ path }) => ({ contents: modules[path], loader: "js" }));
    },
  };
}

/** The sources that the narration quotes, by name. */
function pointedAt() {
  const names = new Set(
    [...textOf(join(source, "story", "narration.ts")).matchAll(/\bat\("([\w-]+\.ts)"/g)].map(([, name]) => name),
  );
  const folders = [join(root, "src"), join(source, "example")];
  const paths = folders.flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)));
  return Object.fromEntries(
    [...names].map((name) => {
      const found = paths.filter((path) => basename(path) === name);
      if (found.length !== 1) throw new Error(`the guide points at ${name}, of which there are ${found.length}`);
      return [name, textOf(found[0])];
    }),
  );
}

/** The documentation of the x-vector recipe's config keys, read from its interfaces. */
async function configFields() {
  const { default: ts } = await import("typescript");
  const path = join(root, "src", "recipes", "xvector", "xvector-config.ts");
  const file = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true);
  const fieldsOf = (name) => {
    const found = file.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
    );
    return found.members.map((member) => ({
      name: member.name.getText(),
      type: member.type
        .getText()
        .replace(/\s+/g, " ")
        .replace(/^\| /, "")
        .replaceAll(/ \| (null|undefined)\b/g, ""),
      isRequired: member.questionToken === undefined,
      text: (ts.getJSDocCommentsAndTags(member)[0]?.comment ?? "").replace(/\s+/g, " "),
    }));
  };
  return { xvector: fieldsOf("XVectorSection"), model: fieldsOf("ModelSection") };
}
