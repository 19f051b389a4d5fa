import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { commands } from "../src/cli/commands.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(root, "src", name), "utf8") }));
const [, union] = /type ErrorCode =([\s\S]*?);/.exec(
  sources.find(({ name }) => name.endsWith("errors/errors.ts"))!.text,
)!;
const codes = [...union!.matchAll(/"(\w+)"/g)].map(([, code]) => code!);
const pageOf = (code: string) => readFileSync(join(root, "docs", "errors", `${code}.md`), "utf8");

// Of Node.js and of the YAML library.
const foreignCodes = ["ERR_MODULE_NOT_FOUND", "RESOURCE_EXHAUSTION", "MULTIPLE_DOCS"];

/** Every text of the sources, as a pattern: what the source inserts may be any text. */
const patterns = sources.flatMap(({ name, text }) =>
  patternsOf(ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)),
);

function patternsOf(node: ts.Node): RegExp[] {
  const own = ts.isStringLiteral(node)
    ? [node.text]
    : ts.isNoSubstitutionTemplateLiteral(node)
      ? [node.text]
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
        : [];
  const found =
    own.join("").replace(/\W/g, "").length < 10
      ? []
      : [new RegExp(own.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s\\S]*?"))];
  ts.forEachChild(node, (child) => {
    found.push(...patternsOf(child));
  });
  return found;
}

describe("error codes", () => {
  it("have a page each, and every page is that of a code", () => {
    const pages = readdirSync(join(root, "docs", "errors")).filter((name) => name !== "index.md");
    expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });

  it("are all listed on one page", () => {
    const rows = [...pageOf("index").matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \|/gm)].map(([, code, link]) => [code, link]);
    expect(rows.sort()).toEqual(codes.map((code) => [code, code]).sort());
  });

  it("are all thrown by something", () => {
    const others = sources.filter(({ name }) => !name.endsWith("errors/errors.ts")).map(({ text }) => text);
    expect(codes.filter((code) => !others.some((text) => text.includes(`"${code}"`)))).toEqual([]);
  });

  it("are named by the sources only where there is one", () => {
    const thrown = sources.flatMap(({ text }) =>
      [...text.matchAll(/MillraceError\(\s*"(\w+)"|code(?::| ===) "([A-Z]+_[A-Z_]+)"/g)].map(([, a, b]) => (a ?? b)!),
    );
    const foreign = thrown.filter((code) => !codes.includes(code) && !foreignCodes.includes(code));
    expect(thrown.length).toBeGreaterThan(200);
    expect([...new Set(foreign)]).toEqual([]);
  });
});

describe.each(codes)("the page of %s", (code) => {
  const page = pageOf(code);
  const [, example] = /^```text\n([\s\S]*?)^```/m.exec(page)!;
  const lines = example!.trimEnd().split("\n");

  it("says what it means, why it happens and what to do", () => {
    expect(page).toMatch(new RegExp(`^# ${code}\n\n[A-Z\`][\\s\\S]{30,}?\n\n\`\`\`text\n`));
    expect([...page.matchAll(/^## (.*)\n\n- /gm)].map(([, title]) => title)).toEqual(["Why it happens", "What to do"]);
  });

  it("shows a message as it is made: what and why, what to do, where to read more", () => {
    expect(lines.at(-1)).toBe(`  [npx millrace explain ${code}]`);
    expect(lines.at(-2)).toMatch(/^ {2}-> \S/);
    // The text of both is one of the sources'.
    const [reason, hint] = example!.split("\n  -> ") as [string, string];
    expect({ reason, isKnown: patterns.some((pattern) => pattern.test(reason)) }).toEqual({ reason, isKnown: true });
    expect({ hint, isKnown: patterns.some((pattern) => pattern.test(hint)) }).toEqual({ hint, isKnown: true });
  });

  it("names only commands that exist", () => {
    const named = [...page.matchAll(/\bmillrace ([a-z]+)\b/g)].map(([, name]) => name!);
    const afterName = named.filter(
      (name) => page.includes(`\`millrace ${name}`) || page.includes(`npx millrace ${name}`),
    );
    expect(afterName.filter((name) => !(name in commands))).toEqual([]);
  });
});
