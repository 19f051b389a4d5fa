import { readdirSync, readFileSync } from "node:fs";
import { nearestName } from "../text/nearest-name.ts";
import { badUsage, type Command, exitCode } from "./command.ts";

// The pages are part of the package. The build puts this code beside the entry of the package.
const pages = new URL("../docs/errors/", import.meta.url);

export const explain: Command = {
  name: "explain",
  usage: "[CODE]",
  summary:
    "Prints the page of an error code: what it means, why it happens, what to do. Without a code: a list of all.",
  details: "Every message of millrace ends with its code. The pages come with the package: no network is needed.",
  options: {},
  examples: ["millrace explain RUN_CHANGED", "millrace explain"],
  arguments: { min: 0, max: 1 },
  async run({ positionals: [word] }) {
    const codes = readdirSync(pages)
      .filter((name) => /^[A-Z_]+\.md$/.test(name))
      .map((name) => name.slice(0, -".md".length))
      .sort();
    process.stdout.write(word === undefined ? listOf(codes) : textOf(find(word, codes)));
    return exitCode.ok;
  },
};

/** Finds the code, which may be copied with brackets or typed in lower case. */
function find(word: string, codes: readonly string[]): string {
  const code = word
    .replace(/[^\w-]/g, "")
    .replaceAll("-", "_")
    .toUpperCase();
  if (codes.includes(code)) return code;
  const near = nearestName(code, codes);
  throw badUsage(
    explain,
    `There is no error code ${JSON.stringify(word)}${near === undefined ? "; millrace explain lists them" : `; did you mean ${near}?`}`,
  );
}

function listOf(codes: readonly string[]): string {
  const width = Math.max(...codes.map((code) => code.length));
  return codes.map((code) => `${code.padEnd(width)}  ${meaningOf(code)}\n`).join("");
}

/** The first sentence below the title of a page. */
function meaningOf(code: string): string {
  const [, first] = textOf(code).split("\n\n") as [string, string];
  return first.replaceAll("\n", " ").replace(/\. .*/, ".");
}

function textOf(code: string): string {
  return readFileSync(new URL(`${code}.md`, pages), "utf8");
}
