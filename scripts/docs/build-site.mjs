// Builds docs/ and the reference into a folder of static files, which work with any server or none.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { root } from "../ensure.mjs";
import { writeBenchmarkPage } from "./benchmark-page.mjs";
import { pageTemplate } from "./page-template.mjs";
import { hrefBetween, linkedFile, renderMarkdown } from "./render-markdown.mjs";
import { searchIndex } from "./search-index.mjs";
import { guideFolder, siteMap } from "./site-map.mjs";

/** Builds the site into `out`. Returns the number of pages and the broken links. */
export async function buildSite({ out, reference }) {
  clear(out);
  writeBenchmarkPage();
  const sections = siteMap({ reference });
  const all = sections.flatMap(({ pages }) => pages);
  const byFile = new Map(all.map((page) => [page.file, page]));
  const broken = [];
  for (const page of all) Object.assign(page, render(page, { byFile, broken }));
  const turning = all.filter(({ isHidden }) => !isHidden);
  for (const page of all) {
    const to = (target) => (target === "" ? rootFrom(page.name) : hrefBetween(page.name, target));
    const place = turning.indexOf(page);
    const [previous, next] = place < 0 ? [] : [turning[place - 1], turning[place + 1]];
    write(join(out, `${page.name}.html`), pageTemplate({ page, sections, to, previous, next }));
  }
  write(join(out, "search-index.js"), searchIndex(all));
  await copyAssets(out);
  return { pages: all.length, broken };
}

function render(page, { byFile, broken }) {
  const text = readFileSync(page.file, "utf8") + programOf(page);
  const href = (link) => {
    if (/^(https?|mailto):|^#/.test(link)) return link;
    const [path, hash] = link.split("#");
    const target = byFile.get(linkedFile(page.file, path));
    if (target !== undefined) return `${hrefBetween(page.name, `${target.name}.html`)}${hash ? `#${hash}` : ""}`;
    const own = ownFile(linkedFile(page.file, path));
    if (own !== undefined) return hrefBetween(page.name, own);
    // What is in the repository but not on the site is shown as text without a link.
    if (!existsSync(linkedFile(page.file, path))) broken.push(`${relative(root, page.file)}: ${link}`);
    return "#";
  };
  return renderMarkdown(text, { isTrusted: page.isReference === true, href });
}

function programOf({ program }) {
  return program === undefined ? "" : `\n## main.mjs\n\n\`\`\`js\n${readFileSync(program, "utf8")}\`\`\`\n`;
}

/** Files of docs/public and the generated ones are at the top of the site. */
function ownFile(file) {
  const name = relative(join(root, "docs"), file).replaceAll("\\", "/");
  if (name.startsWith("public/")) return name.slice("public/".length);
  return name.startsWith("guide/") && guideFolder() !== undefined ? name : undefined;
}

function rootFrom(name) {
  return "../".repeat(name.split("/").length - 1) || "./";
}

async function copyAssets(out) {
  const browser = join(root, "scripts", "docs", "browser");
  for (const name of ["site.css", "icon.svg"]) cpSync(join(browser, name), join(out, name));
  const shared = join(root, "docs", "public");
  if (existsSync(shared)) cpSync(shared, out, { recursive: true });
  const guide = guideFolder();
  if (guide !== undefined) cpSync(guide, join(out, "guide"), { recursive: true });
  const common = { outdir: out, bundle: true, minify: true, format: "iife", target: "es2022", logLevel: "warning" };
  await build({ ...common, entryPoints: { site: join(browser, "site.mjs"), theme: join(browser, "theme.mjs") } });
}

/** Refuses to empty a folder that is not a site of this project. */
function clear(out) {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, "search-index.js")))
    throw new Error(`${out} is not empty and no site of this project: choose another folder`);
  rmSync(out, { recursive: true, force: true });
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
