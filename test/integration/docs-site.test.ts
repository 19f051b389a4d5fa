import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openPage, whyNotBrowser } from "../support/browser/browser.ts";
import { emptyFolder, repository, start } from "../support/cli/project.ts";

const site = join(emptyFolder(), "site");
let address = "";
let complaint = "";

// Built once for all tests of this file; the reference is made again only when a source has changed.
beforeAll(async () => {
  const script = join(repository, "scripts", "docs.mjs");
  const server = start([process.execPath, script, "--out", site, "--serve", "--port", "0"], repository);
  server.child.stdout!.on("data", (part: string) => (address ||= /http:\/\/127\.0\.0\.1:\d+\//.exec(part)?.[0] ?? ""));
  server.child.stderr!.on("data", (part: string) => (complaint += part));
  await server.seen(/http:\/\/127\.0\.0\.1:\d+\/ /);
}, 300_000);

const htmlFiles = () =>
  readdirSync(site, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".html"));

describe("the built site", () => {
  it("is built without a complaint: every exported name says what it is", () => {
    expect(complaint).toBe("");
  });

  it("has no link that leads nowhere, to a page or to a place on it", () => {
    const idsOf = new Map(
      htmlFiles().map((name) => {
        const html = readFileSync(join(site, name), "utf8");
        return [name, { html, ids: new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!)) }];
      }),
    );
    const broken = [...idsOf].flatMap(([name, { html }]) =>
      [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].flatMap(([, raw]) => {
        const link = raw!.replaceAll("&amp;", "&");
        if (/^(https?|mailto):/.test(link)) return [];
        const [path, hash] = link.split("#");
        const target = path === "" ? name : relative(site, join(site, dirname(name), path!)).replaceAll("\\", "/");
        const isThere = idsOf.has(target) || existsSync(join(site, target));
        const isPlace = !hash || (idsOf.get(target)?.ids.has(decodeURIComponent(hash)) ?? false);
        return isThere && isPlace ? [] : [`${name}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("has every page of docs/, and a page for each name of the API", () => {
    const names = new Set(htmlFiles());
    const pages = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => name.endsWith(".md"));
    expect(pages.filter((name) => !names.has(name.replace(/\.md$/, ".html")))).toEqual([]);
    const reference = [...names].filter((name) => name.startsWith("reference/"));
    const missing = ["index", "formats", "speech", "recipes"].flatMap((entry) =>
      exportsOf(entry).filter((name) => !reference.some((page) => page.endsWith(`/${name}.html`))),
    );
    expect(missing).toEqual([]);
  });

  it("asks nothing of another host", () => {
    for (const name of htmlFiles()) {
      const html = readFileSync(join(site, name), "utf8");
      expect(html, name).not.toMatch(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="(?:https?:)?\/\//);
      expect(html, name).not.toMatch(/<(?:script|style)>|\sstyle="|\son\w+="/);
    }
  });
});

describe.skipIf(whyNotBrowser !== undefined)(
  `the site in a browser${whyNotBrowser === undefined ? "" : ` (${whyNotBrowser})`}`,
  () => {
    it("shows its first page and those it leads to, without a complaint or a request to elsewhere", async () => {
      const { page, complaints, requests } = await openPage();
      for (const name of ["index.html", "get-started.html", "benchmarks.html", "reference/millrace/index.html"]) {
        await page.goto(address + name);
        expect(await page.locator("h1").count(), name).toBe(1);
      }
      await page.goto(address);
      await page.getByRole("link", { name: "Slurm", exact: true }).click();
      expect(await page.title()).toBe("Slurm · millrace");
      expect(requests.filter((request) => !request.startsWith(address))).toEqual([]);
      expect(complaints).toEqual([]);
    });

    it("finds a page by words in it, and a name of the API", async () => {
      const { page, complaints } = await openPage();
      await page.goto(address);
      await page.keyboard.press("/");
      await page.keyboard.type("which lock file");
      await page.locator("#found li").first().waitFor();
      expect(await page.locator("#found").textContent()).toMatch(/lock file do I delete/);
      await page.fill("#query", "concatenateShardFiles");
      await page.getByText("concatenateShardFiles()").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(/concatenateShardFiles/);
      await page.fill("#query", "qqqqqqqqqqqq");
      await page.getByText("Nothing found").waitFor();
      expect(complaints).toEqual([]);
    });

    it("changes between light and dark and stays so on the next page", async () => {
      const { page } = await openPage();
      await page.goto(address);
      const ground = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
      const light = await ground();
      await page.click("#theme");
      const dark = await ground();
      expect(dark).not.toBe(light);
      await page.goto(`${address}faq.html`);
      expect(await ground()).toBe(dark);
    });

    it.each([
      ["index.html", 1440, "light"],
      ["benchmarks.html", 1440, "dark"],
      ["backends/slurm.html", 360, "dark"],
      ["from-espnet3.html", 360, "light"],
      ["reference/millrace/classes/BaseRunner.html", 1440, "light"],
    ] as const)("is accessible: %s, %d pixels wide, %s", async (name, width, colorScheme) => {
      const { page } = await openPage({ viewport: { width, height: 800 }, colorScheme });
      await page.goto(address + name);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    });
  },
);

/** The names that an entry of the package exports. */
function exportsOf(entry: string): string[] {
  const text = readFileSync(join(repository, "src", `${entry}.ts`), "utf8");
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list!
      .split(",")
      .map((name) => name.replace(/^\s*type\s+/, "").trim())
      .filter(Boolean),
  );
}

async function violations(page: Page): Promise<string[]> {
  // The policy of the page keeps scripts out that it does not bring itself; this one comes through the debugger.
  await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate<axe.AxeResults>("axe.run()");
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`.slice(0, 300));
}
