import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** What is read: folders and files whose texts are written in plain English. */
const places = [
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "README.md",
  "SECURITY.md",
  "bench",
  "docs",
  "examples",
  "scripts",
  "src",
  "test",
  "web",
];

/** Metaphors and riddles, and what to write instead. */
const banned: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bhearts?\b/i, "heartbeat"],
  [/\b(?:nobody|somebody|whoever|whomever)\b/i, "name the process or the user"],
  [/\bstands\b/i, "is"],
  [/\b(?:is|are|was|were|be|been) told\b/i, "gets, receives, is reported to"],
  [/\btell(?:s|ing)? (?:of|apart)\b|\btold apart\b/i, "reports, distinguishes"],
  [/\bAnswers (?:when|whether|the|how|where|what|with|if)\b/, "Returns, resolves"],
  [/\bhears? of\b|\bheard of\b/i, "is notified of"],
  [/\bconvict(?:s|ed|ing)?\b/i, "blame"],
  [/\bwip(?:e|es|ing) the slate\b/i, "clears the history"],
  [/\b(?:go|goes|went|gone) on\b/i, "continue"],
  [/\bin (?:its|their|his) place\b/i, "instead"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\bso many (?!that\b)/i, "a name for the number"],
  [/\bof one's own\b/i, "custom"],
  [/\b(?:most|least)[A-Z]\w*/, "max…, min…"],
  [/\btell[A-Z]\w*/, "print…, report…"],
  [/\btells\b/i, "shows, reports, distinguishes"],
  [/\banew\b/i, "again"],
  [/\bonce more\b/i, "again"],
  [/\blately\b/i, "recently"],
  [/\bin work\b/i, "current, running"],
  [/\bfor good\b/i, "permanently"],
  [/\b(?:undefined|absent|empty) where\b/i, "… if"],
  [/(?<!\bare )\ball the same\b/i, "nevertheless"],
  [/\bis through\b/i, "has ended"],
  [/\bwhat became of\b/i, "the result of, how … ended"],
  [/\bgiven back\b/i, "released, returned"],
  [/\bhand(?:s|ed) (?:on|over)\b/i, "passes, passed"],
];

const root = fileURLToPath(new URL("..", import.meta.url));

function filesOf(place: string): string[] {
  const path = join(root, place);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [place];
  return (
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .map((name) => `${place}/${name.replaceAll("\\", "/")}`)
      .filter((name) => /\.(?:[cm]?[jt]sx?|md|html|css)$/.test(name))
      // This file holds the patterns.
      .filter((name) => join(root, name) !== fileURLToPath(import.meta.url))
  );
}

it.each(places)("%s is written in plain English", (place) => {
  const found = filesOf(place).flatMap((name) =>
    readFileSync(join(root, name), "utf8")
      .split("\n")
      .flatMap((line, i) =>
        banned
          .filter(([word]) => word.test(line))
          .map(([word, instead]) => `${name}:${i + 1}: ${word.exec(line)![0]} -> ${instead}`),
      ),
  );
  expect(found).toEqual([]);
});
