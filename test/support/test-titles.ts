import { readFileSync } from "node:fs";
import ts from "typescript";

/** The titles of a file's tests that run: a test without a function, or with a reason why it is left out, is none. */
export function testTitles(file: URL): string[] {
  const source = ts.createSourceFile(file.pathname, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title, ...rest] = node.arguments;
      const runs = rest.some(isFunction) && !rest.some(ts.isStringLiteralLike);
      if (title !== undefined && ts.isStringLiteralLike(title) && runs) titles.push(title.text);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return titles;
}

/** `it(…)`, `promise(…)`, and the forms of `it` that still run: `it.each(…)(…)`, `it.skipIf(…)(…)`. */
function isTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return callee.text === "it" || callee.text === "promise";
  if (ts.isCallExpression(callee)) return isTest(callee.expression);
  if (!ts.isPropertyAccessExpression(callee)) return false;
  return ["each", "skipIf", "runIf"].includes(callee.name.text) && isTest(callee.expression);
}

const isFunction = (node: ts.Node): boolean => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
