// npm run sbom: the package's dependencies with versions, licences and hashes, as CycloneDX JSON (sbom.cdx.json, or the
// file named), from the lock file. An unknown licence is an error. Not `npm sbom`, because that omits dependencies that
// a development tool also uses, and names the project after its folder.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isLicenceFine } from "./licences.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { packages: locked } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** Every package that is installed together with this one, with its own dependencies, by its path in the lock file. */
function productionPackages() {
  const found = new Map();
  const visit = (place) => {
    const {
      name = place.replace(/^.*node_modules\//, ""),
      version,
      license,
      integrity,
      dependencies = {},
    } = locked[place];
    const needs = Object.keys(dependencies).map((needed) => findPackage(needed, place));
    found.set(place, { name, version, license, integrity, needs });
    for (const next of needs) if (!found.has(next)) visit(next);
  };
  visit("");
  return found;
}

/** Where Node.js finds a package from the location of another. */
function findPackage(name, from) {
  for (let folder = from; ; folder = folder.replace(/(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/, "")) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (locked[place] !== undefined) return place;
    if (folder === "") throw new Error(`${name} is not in package-lock.json: npm install`);
  }
}

function checkLicences(packages) {
  const wrong = packages.filter((entry) => !isLicenceFine({ ...entry, isTool: false }));
  for (const { name, version, license } of wrong)
    console.error(
      `${name} ${version} has the licence ${license}: can it be used? If so, say why in scripts/licences.mjs.`,
    );
  if (wrong.length > 0) process.exit(1);
}

function describe({ name, version, license, integrity }) {
  const [group, plain] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": reference({ name, version }),
    ...(group === undefined ? {} : { group }),
    name: plain,
    version,
    ...(integrity === undefined ? {} : { hashes: [describeHash(integrity)] }),
    purl: reference({ name, version }),
    licenses: [{ license: { id: license } }],
  };
}

/** The hash of the packed package, as the registry has it. */
function describeHash(integrity) {
  const [algorithm, digest] = integrity.split("-");
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") };
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
    dependsOn: entry.needs.map((place) => reference(packages.get(place))),
  })),
};
const target = process.argv[2] ?? join(root, "sbom.cdx.json");
writeFileSync(target, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${others.length} packages, all with licences that can be used: ${relative(process.cwd(), target)}`);
