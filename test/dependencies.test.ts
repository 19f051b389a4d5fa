// What is installed, for developers and for users: by hash, under known licences, without scripts, on every platform.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Described {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

interface Licences {
  isLicenceFine(entry: {
    readonly name: string;
    readonly license: string | undefined;
    readonly isTool: boolean;
  }): boolean;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), "utf8"));
const described = readJson(root, "package.json") as Described;
const lock = readJson(root, "package-lock.json") as { readonly packages: Record<string, Locked> };
const { "": self, ...packages } = lock.packages;
const all = Object.entries(packages);
const nameOf = (place: string) => place.replace(/^.*node_modules\//, "");
const placesWhere = (isSo: (entry: Locked, place: string) => boolean) =>
  all.filter(([place, entry]) => isSo(entry, place)).map(([place]) => place);

const isExact = (version: string) => /^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version);

describe("the lock file", () => {
  it("is that of package.json", () => {
    expect(all.length).toBeGreaterThan(200);
    const { dependencies, devDependencies } = described;
    expect(self).toMatchObject({ dependencies, devDependencies });
    const wanted = Object.entries({ ...dependencies, ...devDependencies, ...described.overrides });
    expect(wanted.filter(([name, version]) => packages[`node_modules/${name}`]?.version !== version)).toEqual([]);
  });

  it("has a hash of every package, and no address of a registry, a repository or a folder", () => {
    expect(placesWhere(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""))).toEqual([]);
    expect(placesWhere((entry) => "resolved" in entry || "link" in entry)).toEqual([]);
    expect(placesWhere(({ version }) => !isExact(version))).toEqual([]);
    const ranges = all.flatMap(([, entry]) => Object.values({ ...entry.dependencies, ...entry.optionalDependencies }));
    expect(ranges.filter((range) => /^(?:git|file|link|https?)|\//.test(range))).toEqual([]);
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });

  it("has the programs of the tools for Linux, macOS and Windows", () => {
    const isWanted = (name: string) => /(?:linux|darwin|win32)-(?:x64|arm64)(?:-gnu|-msvc)?$/.test(name);
    const missing = all.flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          isWanted(name) &&
          packages[`node_modules/${name}`] === undefined &&
          packages[`${place}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
    for (const name of ["@biomejs/cli", "@esbuild/", "@rolldown/binding"])
      for (const os of ["linux", "darwin", "win32"])
        expect(placesWhere((entry, place) => place.includes(name) && entry.os?.includes(os) === true)).not.toEqual([]);
  });

  it("is what these tests run with", async () => {
    const { isLockInstalled } = await importEnsure();
    expect(isLockInstalled(root)).toBe(true);
  });
});

describe("a package", () => {
  it("has a licence that was thought about", async () => {
    const { isLicenceFine } = (await import("../scripts/licences.mjs" as string)) as Licences;
    const isFine = ({ license, dev }: Locked, place: string) =>
      isLicenceFine({ name: nameOf(place), license, isTool: dev === true });
    expect(placesWhere((entry, place) => !isFine(entry, place))).toEqual([]);
    expect(isLicenceFine({ name: "x", license: "GPL-3.0-only", isTool: true })).toBe(false);
    expect(isLicenceFine({ name: "x", license: undefined, isTool: true })).toBe(false);
    expect(isLicenceFine({ name: "x", license: "MPL-2.0", isTool: false })).toBe(false);
  });

  it("runs no script when it is installed", () => {
    const withScripts = placesWhere(({ hasInstallScript }) => hasInstallScript === true).map(nameOf);
    expect(described.allowScripts).toEqual(Object.fromEntries(withScripts.sort().map((name) => [name, false])));
    expect(withScripts.filter((name) => packages[`node_modules/${name}`]?.dev !== true)).toEqual([]);
  });

  it("that users get has one version, although they have no lock file", () => {
    const { dependencies, devDependencies } = described;
    expect(Object.entries({ ...dependencies, ...devDependencies }).filter(([, range]) => !isExact(range))).toEqual([]);
    const production = all.filter(([, { dev }]) => dev !== true);
    expect(production.length).toBeGreaterThanOrEqual(Object.keys(dependencies).length);
    // A range is fine where this package pins the same name: npm then installs that version for both.
    const floating = production.flatMap(([place, entry]) =>
      Object.entries(entry.dependencies ?? {})
        .filter(([name, range]) => !isExact(range) && dependencies[name] === undefined)
        .map(([name, range]) => `${nameOf(place)} needs ${name} ${range}`),
    );
    expect(floating).toEqual([]);
  });
});

interface Ensure {
  isLockInstalled(folder: string): boolean;
}

const importEnsure = async () => (await import("../scripts/ensure.mjs" as string)) as Ensure;

describe("isLockInstalled", () => {
  const here = { integrity: "sha512-a" };
  const elsewhere = { integrity: "sha512-b", optional: true, os: [process.platform === "linux" ? "darwin" : "linux"] };
  const listed = { "node_modules/here": here, "node_modules/elsewhere": elsewhere };

  async function isInstalled(installed: object | undefined): Promise<boolean> {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "node_modules"));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...listed } }));
    const list = join(folder, "node_modules", ".package-lock.json");
    if (installed !== undefined) writeFileSync(list, JSON.stringify({ packages: installed }));
    return (await importEnsure()).isLockInstalled(folder);
  }

  it("is so where npm has installed what the lock file lists for this platform", async () => {
    expect(await isInstalled({ "node_modules/here": here })).toBe(true);
  });

  it("is not so where a package is missing, another one, one too many or for another platform", async () => {
    expect(await isInstalled(undefined)).toBe(false);
    expect(await isInstalled({})).toBe(false);
    expect(await isInstalled({ "node_modules/here": { integrity: "sha512-c" } })).toBe(false);
    expect(await isInstalled({ "node_modules/here": here, "node_modules/more": here })).toBe(false);
    expect(await isInstalled(listed)).toBe(false);
  });
});

describe("scripts/sbom.mjs", () => {
  it("refuses a licence that was not thought about, and has the hash of every package", () => {
    const folder = temporaryFolder();
    cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true });
    const write = (license: string) => {
      const changed = { ...packages, "node_modules/yaml": { ...packages["node_modules/yaml"], license } };
      writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: { "": self, ...changed } }));
      return spawnSync(process.execPath, [join(folder, "scripts", "sbom.mjs")], { cwd: folder, encoding: "utf8" });
    };
    expect(write("AGPL-3.0-only")).toMatchObject({ status: 1, stderr: expect.stringMatching(/yaml .*AGPL-3\.0-only/) });
    expect(write("ISC").status).toBe(0);
    const { components } = readJson(folder, "sbom.cdx.json") as { components: { hashes: { content: string }[] }[] };
    expect(components.length).toBe(placesWhere(({ dev }) => dev !== true).length);
    expect(components.filter(({ hashes: [hash] }) => !/^[0-9a-f]{128}$/.test(hash?.content ?? ""))).toEqual([]);
  });
});
