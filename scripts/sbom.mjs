// npm run sbom: what the package brings along, with versions and licences, as CycloneDX JSON (sbom.cdx.json, or the
// file named). A licence that was not thought about is an error. By hand, because `npm sbom` leaves out what a development tool
// uses too, and calls the project by the name of its folder.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const permissive = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

// Others, each with the reason why it can be used by a package under Apache-2.0.
const accepted = {
  "codec-parser": {
    licence: "LGPL-3.0-or-later",
    why: "a package of its own, not changed and not copied: it can be replaced",
  },
};

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Every package that is installed together with this one, with those that it needs in turn. */
function productionPackages() {
  const found = new Map();
  const visit = (folder) => {
    const { name, version, license, dependencies = {} } = readJson(join(folder, "package.json"));
    const folders = Object.keys(dependencies).map((needed) => findPackage(needed, folder));
    found.set(folder, { name, version, license, needs: folders });
    for (const next of folders) if (!found.has(next)) visit(next);
  };
  visit(root);
  return found;
}

/** Where Node.js finds a package from a folder. */
function findPackage(name, from) {
  for (let folder = from; folder.startsWith(root.slice(0, -1)); folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(join(place, "package.json"))) return place;
  }
  throw new Error(`${name} is not installed: npm install`);
}

function checkLicences(packages) {
  const wrong = packages.filter(
    ({ name, license }) => !permissive.includes(license) && accepted[name]?.licence !== license,
  );
  for (const { name, version, license } of wrong)
    console.error(`${name} ${version} has the licence ${license}: can it be used? If so, say why in scripts/sbom.mjs.`);
  if (wrong.length > 0) process.exit(1);
}

function describe({ name, version, license }) {
  const [group, plain] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": reference({ name, version }),
    ...(group === undefined ? {} : { group }),
    name: plain,
    version,
    purl: reference({ name, version }),
    licenses: [{ license: { id: license } }],
  };
}

function reference({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

const packages = productionPackages();
const [self, ...others] = [...packages.values()];
others.sort((a, b) => (a.name < b.name ? -1 : 1));
checkLicences(others);
const sbom = {
  $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
  bomFormat: "CycloneDX",
  specVersion: "1.5",
  version: 1,
  metadata: { component: describe(self) },
  components: others.map(describe),
  dependencies: [self, ...others].map((entry) => ({
    ref: reference(entry),
    dependsOn: entry.needs.map((folder) => reference(packages.get(folder))),
  })),
};
const target = process.argv[2] ?? join(root, "sbom.cdx.json");
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${others.length} packages, all with licences that can be used: ${relative(process.cwd(), target)}`);
