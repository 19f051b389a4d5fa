import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const { options, fileNames } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(join(root, "tsconfig.build.json"), ts.sys.readFile).config,
  ts.sys,
  root,
);
const program = ts.createProgram(fileNames, { ...options, skipLibCheck: true });
const checker = program.getTypeChecker();

// An error that is made again, with a place in front or after a journey: the hint is the one it has.
const handedOn = [
  "src/errors/pack-error.ts",
  "src/recipes/prep/prepare-utterance.ts",
  "src/recipes/xvector/xvector-runner.ts",
];

/** Every place of the sources at which an error is made. */
function madeErrors(): { file: string; place: string; details: ts.Expression | undefined }[] {
  const found: ReturnType<typeof madeErrors> = [];
  for (const source of program.getSourceFiles()) {
    if (source.isDeclarationFile || program.isSourceFileFromExternalLibrary(source)) continue;
    const file = relative(root, source.fileName);
    const visit = (node: ts.Node) => {
      if (ts.isNewExpression(node) && node.expression.getText(source) === "MillraceError") {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.push({ file, place: `${file}:${line + 1}`, details: node.arguments?.[2] });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Whether what is passed on has a hint in any case, and not one that may be undefined or empty. */
function hasHint(details: ts.Expression | undefined): boolean {
  const hint = details && checker.getTypeAtLocation(details).getProperty("hint");
  if (hint === undefined || (hint.flags & ts.SymbolFlags.Optional) !== 0) return false;
  const type = checker.getTypeOfSymbolAtLocation(hint, details!);
  const parts = type.isUnion() ? type.types : [type];
  return parts.every(
    (part) => (part.flags & ts.TypeFlags.StringLike) !== 0 && !(part.isStringLiteral() && part.value === ""),
  );
}

describe("errors of the sources", () => {
  const errors = madeErrors();

  it("are found", () => {
    expect(errors.length).toBeGreaterThan(250);
    expect(handedOn.filter((name) => !errors.some(({ file }) => file === name))).toEqual([]);
  });

  it("say what to do, each of them", () => {
    const silent = errors.filter(({ file, details }) => !handedOn.includes(file) && !hasHint(details));
    expect(silent.map(({ place }) => place)).toEqual([]);
  });
});
