import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = ["define-run", "run-result", "class-options", "env"].map((name) => join(root, `test/types/${name}.ts`));

function openService(): ts.LanguageService {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createLanguageService({
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => files,
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) => {
      const text = ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
  });
}

function namesIn(node: ts.Node): ts.Identifier[] {
  const below: ts.Identifier[] = [];
  node.forEachChild((child) => {
    below.push(...namesIn(child));
  });
  return ts.isIdentifier(node) ? [node, ...below] : below;
}

/** Whether a name is in a piece of code that is wrong on purpose. */
function isWrongOnPurpose(name: ts.Node): boolean {
  let node = name;
  while (!ts.isSourceFile(node.parent) && !ts.isBlock(node.parent) && !ts.isClassElement(node)) node = node.parent;
  return !ts.isFunctionDeclaration(node) && !ts.isClassDeclaration(node) && node.getFullText().includes("@ts-expect");
}

it("no value of the API shows never where people hover", () => {
  const service = openService();
  const seen: string[] = [];
  const found: string[] = [];
  for (const path of files) {
    const source = service.getProgram()!.getSourceFile(path)!;
    for (const name of namesIn(source)) {
      if (isWrongOnPurpose(name)) continue;
      const shown = ts.displayPartsToString(service.getQuickInfoAtPosition(path, name.getStart())?.displayParts);
      // A type's definition may have a branch that is never taken.
      if (/^(?:\(alias\) )?type /.test(shown)) continue;
      seen.push(shown);
      const { line } = source.getLineAndCharacterOfPosition(name.getStart());
      if (/\bnever\b/.test(shown)) found.push(`${path}:${line + 1}: ${name.text}: ${shown}`);
    }
  }
  expect(seen.some((shown) => shown.startsWith("const lengths: DefinedRun<"))).toBe(true);
  expect(found).toEqual([]);
});
