import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (file: string) => readFileSync(join(root, file), "utf8");

function list(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name) && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

const comment = /\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm;
const own = [...list("src", /\.ts$/), ...list("web", /\.tsx?$/)];
const others = [
  ...["scripts", "bench", "examples"].flatMap((folder) => list(folder, /\.(?:mjs|js|py|yaml)$/)),
  ...list("test", /\.(?:ts|mjs|js|py)$/),
];
const known = new Set(
  [...own, ...others].flatMap(
    (file) =>
      textOf(file)
        .replace(comment, " ")
        .match(/[A-Za-z_$][\w$]*/g) ?? [],
  ),
);

/** Names like `fooBar` in backquotes that no code has. */
function unknownNames(file: string, text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, inner]) => inner!)
    .filter((inner) => !/[\\/ "']/.test(inner));
  const names = quoted.flatMap((inner) => inner.match(/\b[a-z]+[A-Z]\w*\b/g) ?? []);
  return names.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`);
}

it("every identifier that a comment names is in the code", () => {
  expect(own.flatMap((file) => unknownNames(file, (textOf(file).match(comment) ?? []).join("\n")))).toEqual([]);
});

it("every identifier that a page names is in the code", () => {
  const pages = [...list("docs", /\.md$/), "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
  expect(pages.flatMap((page) => unknownNames(page, textOf(page).replace(/```[\s\S]*?```/g, "")))).toEqual([]);
});
