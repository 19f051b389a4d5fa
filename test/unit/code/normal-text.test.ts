import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { normalText } from "../../../src/code/normal-text.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(join(root, "src", name), "utf8") }));

/** The tokens of a text as the TypeScript parser finds them, which knows what every slash means. */
function tokensOf(text: string): { readonly from: number; readonly to: number; readonly text: string }[] {
  const file = ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, false);
  const found: { from: number; to: number; text: string }[] = [];
  const visit = (node: ts.Node) => {
    if (node.getChildCount(file) === 0 && node.kind !== ts.SyntaxKind.EndOfFileToken && node.getWidth(file) > 0)
      found.push({ from: node.getStart(file), to: node.getEnd(), text: node.getText(file) });
    // Documentation in comments has nodes of its own.
    for (const child of node.getChildren(file))
      if (child.kind < ts.SyntaxKind.FirstJSDocNode || child.kind > ts.SyntaxKind.LastJSDocNode) visit(child);
  };
  visit(file);
  return found;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are sources, as text.
const snippets = [
  "const a = 1, b = 2; export const c = a / b / 2;",
  "export const f = (x) => /[/'\"]/g.test(x) ? x / 2 : `a ${x / 3} ${`b ${/`/.test(x)}`} c`;",
  "if (a) /re/.exec(b); else /x'y/.test(c)",
  "const half = (a + b) / 2; const text = 'it\\'s' + \"//no comment\";",
  "export class A { static forward(idx, { x }) { return !/a b/.test(x) && idx++ - --idx } }",
  "const n = 1 .toFixed() + 1.5 + .5; a = b\n++c\nlet d = x! / 2 / y!",
  "for await (const x of y) /r(')/.test(x)",
  "const t = tag`a\\`${{ a: 1 }.a}`; type T<U> = `x${string}`; const g = f<string>(1) / 2",
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are sources, as text.

describe("the text of a module that counts", () => {
  it("is free of comments, blank lines, indentation and further spaces", () => {
    expect(normalText("#!/usr/bin/env node\n\n// why\nconst a  =  1; /* one */ let b /*\n*/ = 2\n\n")).toBe(
      "const a = 1; let b\n= 2",
    );
  });

  it.each([
    ["a line break that ends a statement", "a\n(b)", "a (b)"],
    ["spaces in a string", "'a  b'", "'a b'"],
    ["spaces in a template", "`a  b`", "`a b`"],
    ["spaces in a regular expression", "x = /a  b/", "x = /a b/"],
    ["what looks like a comment in a string", "'a//b'", "'a//c'"],
    ["what looks like a comment in a regular expression", "x = /[/*]a/; '*/'", "x = /[/*]b/; '*/'"],
    ["two pluses that are one operator", "a + +b", "a ++b"],
    ["a member of a number", "1 .x", "1.x"],
    ["a tab in a string", "'a\tb'", "'a b'"],
    ["a line break in a template", "`a\nb`", "`a b`"],
    ["flags", "x = /a/g", "x = /a/ g"],
    ["a division of a value that is not null", "a! / b", "a! / c"],
    ["two divisions of values that are not null", "a[0]! / b, c! / d", "a[0]! / b, c! / e"],
  ])("keeps %s apart", (_what, one, other) => {
    expect(normalText(one)).not.toBe(normalText(other));
    expect(normalText(one)).toBeDefined();
  });

  it.each([
    ["a slash behind a brace that could be either", "x = {} / 2; y = '/'"],
    ["a regular expression behind a block that could be a division", "if (a) {} /['\"]/.test(b)"],
    ["an unfinished string", "x = 'a"],
    ["an unfinished template", "x = `a ${b"],
    ["a comment without an end", "x = 1 /* a"],
    ["characters that this reader uses itself", "x = '\ue001'"],
    ["what an old script takes for a comment", "x <!-- y\n'"],
  ])("is undefined for %s, so that the bytes count", (_what, text) => {
    expect(normalText(text)).toBeUndefined();
  });

  it("stays the same with a comment between two divisions of values that are not null", () => {
    expect(normalText("x = a[0]! / b, /* it's */ c! / d;")).toBe(normalText("x = a[0]! / b, c! / d;"));
  });

  it("is found for nearly all of this library's own sources", () => {
    const unknown = sources.filter(({ text }) => normalText(text) === undefined).map(({ name }) => name);
    expect(unknown.length).toBeLessThan(sources.length / 20);
  });

  const texts = fc.constantFrom(
    ...snippets,
    ...sources.filter(({ text }) => text.length < 4000).map(({ text }) => text),
  );

  it("stays the same with lines of comments, blank lines and another indentation", () => {
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.constantFrom("", "", "  \t", "   ")), (text, gaps) => {
        const before = normalText(text);
        fc.pre(before !== undefined);
        const after = withGaps(text, (isLineEnd) => (isLineEnd ? `${gaps.next().value}\n// it's "more"\n\n` : ""));
        expect(normalText(after)).toBe(before);
      }),
    );
  });

  it("stays the same with comments and spaces within a line, or the bytes count", () => {
    fc.assert(
      fc.property(
        texts,
        fc.infiniteStream(fc.constantFrom("", "", " ", '/* it\'s a "note" */', "  \t")),
        (text, gaps) => {
          const before = normalText(text);
          fc.pre(before !== undefined);
          const after = withGaps(text, () => gaps.next().value as string);
          expect([before, undefined]).toContain(normalText(after));
        },
      ),
    );
  });

  it("changes with any token", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.constantFrom("x1", "'s'", "(", "0"), (text, at, other) => {
        const before = normalText(text);
        fc.pre(before !== undefined);
        const tokens = tokensOf(text);
        const token = tokens[at % tokens.length]!;
        fc.pre(token.text !== other);
        expect(normalText(`${text.slice(0, token.from)} ${other} ${text.slice(token.to)}`)).not.toBe(before);
      }),
    );
  });

  it("leaves out the block that only the starting process runs", () => {
    const head = 'import { defineRun, isMainModule } from "millrace";\nexport const a = 1;\n';
    const block = (body: string) => `${head}if (isMainModule(import.meta.url)) {\n${body}\n}\n`;
    expect(normalText(block("await a({ n_workers: 2, b: `}` });"))).toBe(normalText(block("other();")));
    expect(normalText(block("other();"))).toBe(normalText(head));
    expect(normalText(`${block("x")}(b)`)).not.toBe(normalText(`${head}(b)`));
  });

  it("keeps that block where the question is answered by a function of the user's", () => {
    const block = (body: string) =>
      `const isMainModule = () => true;\nif (isMainModule(import.meta.url)) { ${body} }\n`;
    expect(normalText(block("one()"))).not.toBe(normalText(block("two()")));
  });
});

/** The text with something added wherever there is space between two tokens. */
function withGaps(text: string, more: (isLineEnd: boolean) => string): string {
  let after = "";
  let end = 0;
  const tokens = tokensOf(text);
  for (const [i, { from, to }] of tokens.entries()) {
    const gap = text.slice(end, from);
    // Within a template nothing is between tokens.
    const isSplit = /[`}]$/.test(tokens[i - 1]?.text ?? "") || /[`{]$/.test(text.slice(0, end)) || text[from] === "`";
    const isLineEnd = gap.includes("\n") && gap.trim() === "";
    const isFree = gap !== "" && i > 0 && (isLineEnd || (!isSplit && !/[.\d#@\\]/.test(text[end - 1]! + text[from]!)));
    after += gap + (isFree ? more(isLineEnd) : "") + text.slice(from, to);
    end = to;
  }
  return after;
}
