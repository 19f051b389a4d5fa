// The structure of the site. A page that is not listed here is put under "More", so none is lost.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../ensure.mjs";
import { entries } from "./make-reference.mjs";

const named = [
  { title: "Begin", pages: ["index", "get-started", "guide", "providers-and-runners", "glossary", "faq"] },
  { title: "Do", pages: ["data-preparation", "collect-stats", "xvectors", "inference", "audio", "features"] },
  { title: "Files", pages: ["datasets", "datasets-formats", "writers", "formats", "run-folder"] },
  {
    title: "Run",
    pages: ["configs", "cli", "failures", "concurrency", "calling-an-api", "performance", "dashboard", "report"],
  },
  {
    title: "Where workers run",
    pages: [
      "workers",
      "backends/local",
      "backends/process",
      "backends/thread",
      "backends/local-gpu",
      "clusters",
      "file-systems",
      "backends/slurm",
      "backends/sge",
      "backends/pbs",
      "backends/lsf",
      "backends/htcondor",
      "backends/oar",
      "backends/moab",
      "backends/kube",
      "backends/ssh",
    ],
  },
  { title: "Coming from", pages: ["from-espnet3", "from-datatrove", "from-dask", "from-submitit"] },
  { title: "Trust", pages: ["how-it-works", "security", "tested-on", "figures", "benchmarks"] },
];

/** Pages at the top of the repository. */
const outside = {
  architecture: "ARCHITECTURE.md",
  contributing: "CONTRIBUTING.md",
  changelog: "CHANGELOG.md",
  "security-policy": "SECURITY.md",
};

/**
 * Every page: its name on the site (`backends/slurm`), its file and its section. `reference` is the folder of the
 * generated reference, or undefined.
 */
export function siteMap({ reference } = {}) {
  const docs = join(root, "docs");
  const below = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => name.slice(0, -3));
  const own = (name) => ({ name, file: join(docs, `${name}.md`) });
  const known = new Set(named.flatMap(({ pages }) => pages));
  const rest = below.filter((name) => !known.has(name));
  const inFolder = (folder) => rest.filter((name) => name.startsWith(`${folder}/`));
  const sections = [
    ...named.map(({ title, pages }) => ({ title, pages: pages.filter((name) => below.includes(name)).map(own) })),
    { title: "Examples", pages: examplePages() },
    { title: "Error codes", isLong: true, pages: inFolder("errors").map(own) },
    {
      title: "More",
      pages: [
        ...rest.filter((name) => !/^(errors|decisions)\//.test(name)).map(own),
        ...Object.entries(outside).map(([name, file]) => ({ name, file: join(root, file) })),
        ...inFolder("decisions").map(own),
      ],
    },
  ].filter(({ pages }) => pages.length > 0);
  return reference === undefined ? sections : [...sections, referenceSection(reference)];
}

/** Each example: its page, with `program` below it. */
function examplePages() {
  const folder = join(root, "examples");
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "README.md")));
  const page = (name) => {
    const program = join(folder, name, "main.mjs");
    const own = { name: `examples/${name}`, file: join(folder, name, "README.md") };
    return existsSync(program) ? { ...own, program } : own;
  };
  return [{ name: "examples/index", file: join(folder, "README.md") }, ...names.sort().map(page)];
}

function referenceSection(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort();
  const shown = entries.map(({ name }) => `${name}/README.md`);
  const page = (name) => ({
    name: `reference/${name.slice(0, -3).replace(/README$/, "index")}`,
    file: join(folder, name),
    isReference: true,
    isHidden: !shown.includes(name),
  });
  const order = (name) => (shown.includes(name) ? shown.indexOf(name) : shown.length);
  return { title: "Reference", pages: files.sort((a, b) => order(a) - order(b)).map(page) };
}

/** True if the interactive guide was built; the site then contains it. */
export function guideFolder() {
  const folder = join(root, "dist", "web", "guide");
  return existsSync(join(folder, "index.html")) ? folder : undefined;
}
