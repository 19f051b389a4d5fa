// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
// The real OmegaConf reads the same configs: values, types and whether it is an error have to agree.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConfigNode, Float } from "../../src/config/config-node.ts";
import { loadConfigNodes } from "../../src/config/load-config.ts";
import { registerResolver, removeResolver } from "../../src/config/resolvers.ts";
import { MillraceError } from "../../src/errors/errors.ts";
import {
  type ConfigCase,
  handPickedCases,
  knownDifferences,
  missingCases,
  Random,
  randomExpression,
  randomFile,
  randomMerge,
  randomUpdates,
  type Update,
} from "../fixtures/configs/omegaconf-cases.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const oracle = fileURLToPath(new URL("../fixtures/configs/omegaconf-oracle.py", import.meta.url));
// Debian installs it for its own Python, which another one on the PATH may hide.
const python = ["/usr/bin/python3", "python3"].find(
  (program) => spawnSync(program, ["-c", "import omegaconf"], { stdio: "ignore" }).status === 0,
);
const times = Number(process.env["MILLRACE_CONFIG_TIMES"] ?? 1);
const env = {
  CONFIG_TEST_A: "from the environment",
  CONFIG_TEST_NUMBER: "12",
  CONFIG_TEST_INTERPOLATION: "${b}",
  HOME: "/home/me",
};

type Answer = { readonly value: unknown } | { readonly error: string };

const emitWarning = process.emitWarning;
beforeAll(() => {
  process.emitWarning = () => {};
  registerResolver("test.same", (...args: unknown[]) => {
    if (args.length !== 1) throw new Error("one argument was expected");
    return args[0];
  });
  registerResolver("test.count", (...args: unknown[]) => args.length);
  registerResolver("test.join", (...args: unknown[]) => args.map(pythonPrint).join("|"));
});
afterAll(() => {
  process.emitWarning = emitWarning;
  for (const name of ["test.same", "test.count", "test.join"]) removeResolver(name);
});

/** All cases in one process: starting Python costs more than a hundred of them. */
function askOmegaConf(cases: readonly ConfigCase[]): Answer[] {
  const input = cases.map((entry) => JSON.stringify({ ...entry, env })).join("\n");
  const { stdout, stderr } = spawnSync(python!, [oracle], { input, encoding: "utf8", maxBuffer: 1 << 30 });
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(lines.length, stderr).toBe(cases.length);
  return lines.map((line) => {
    const answer = JSON.parse(line) as Answer;
    return "error" in answer ? answer : { value: normalise(answer.value) };
  });
}

/** The case as files on disk: what is merged is named in the defaults list of the first one. */
async function askLoadConfig(
  { yaml, updates = [], allowMissing = false }: ConfigCase,
  folder: string,
): Promise<Answer> {
  mkdirSync(folder);
  yaml.forEach((text, i) => {
    writeFileSync(join(folder, `part${i}.yaml`), text);
  });
  const list = yaml.map((_, i) => `  - part${i}\n`).join("");
  if (yaml.length > 1) writeFileSync(join(folder, "main.yaml"), `defaults:\n${list}`);
  const path = join(folder, yaml.length > 1 ? "main.yaml" : "part0.yaml");
  try {
    return { value: normalise(encode(await loadConfigNodes(path, updates.map(toOverride), { env, allowMissing }))) };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    return { error: error.message };
  }
}

function toOverride([kind, key, value]: Update): string {
  if (kind === "~") return `~${key}`;
  return `${kind === "change" ? "" : kind}${key}=${toOverrideValue(value)}`;
}

function toOverrideValue(value: unknown): string {
  if (typeof value === "string") return `"${value.replaceAll('"', '\\"')}"`;
  if (Array.isArray(value)) return `[${value.map(toOverrideValue).join(",")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  return `{${Object.entries(value)
    .map(([key, entry]) => `${key}: ${toOverrideValue(entry)}`)
    .join(",")}}`;
}

/** The oracle's way to write values with their types. */
function encode(node: ConfigNode): unknown {
  if (node.kind === "list") return { list: node.items.map(encode) };
  if (node.kind === "map") return { dict: [...node.entries].map(([key, entry]) => [{ str: key }, encode(entry)]) };
  const { value } = node;
  if (value === null) return null;
  if (value instanceof Float) return { float: Object.is(value.value, -0) ? "-0" : String(value.value) };
  return {
    [typeof value === "string" ? "str" : typeof value === "boolean" ? "bool" : "int"]:
      typeof value === "number" ? String(value) : value,
  };
}

/** Both languages print the same double differently. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (typeof value !== "object" || value === null) return value;
  const { float } = value as { float?: string };
  if (float === undefined)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, normalise(entry)]));
  const number = Number(float.replace(/^(-?)inf$/, "$1Infinity"));
  return { float: Object.is(number, -0) ? "-0" : String(number) };
}

function pythonPrint(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  return `{${Object.entries(value)
    .map(([key, entry]) => `'${key}': ${pythonRepr(entry)}`)
    .join(", ")}}`;
}
const pythonRepr = (value: unknown) => (typeof value === "string" ? `'${value}'` : pythonPrint(value));

// Two errors may have nothing to do with each other: where this one says that a value is missing, so does OmegaConf.
function isRefusedToo(ours: string, theirs: Answer): boolean {
  if (!("error" in theirs)) return false;
  return !/ is \?\?\?(?:: it| and) has to be given/.test(ours) || /Missing|InterpolationResolution/.test(theirs.error);
}

async function compare(cases: readonly ConfigCase[]): Promise<void> {
  const folder = temporaryFolder();
  const theirs = askOmegaConf(cases);
  const differing: string[] = [];
  let errors = 0;
  for (const [i, entry] of cases.entries()) {
    const ours = await askLoadConfig(entry, join(folder, String(i)));
    const agrees =
      "error" in ours
        ? isRefusedToo(ours.error, theirs[i]!)
        : JSON.stringify(ours) === JSON.stringify({ value: (theirs[i] as { value?: unknown }).value });
    if ("error" in ours) errors++;
    if (!agrees) differing.push(JSON.stringify({ case: entry, omegaconf: theirs[i], loadConfig: ours }));
  }
  expect(differing.slice(0, 5)).toEqual([]);
  // If nearly all were errors, or none was, the cases would say little.
  expect(errors).toBeGreaterThan(0);
  expect(errors).toBeLessThan(cases.length * 0.9);
}

const generate = (count: number, seed: number, make: (random: Random) => ConfigCase) => {
  const random = new Random(seed);
  return Array.from({ length: count * times }, () => make(random));
};

describe.skipIf(python === undefined)(
  `loadConfig beside OmegaConf${python === undefined ? " (skipped: python3-omegaconf is not installed)" : ""}`,
  () => {
    it("agrees on configs that were picked by hand", () => compare(handPickedCases()));
    it("agrees on random interpolations", () => compare(generate(200, 1, randomExpression)));
    it("agrees on random files", () => compare(generate(200, 2, randomFile)));
    it("agrees on random merges", () => compare(generate(120, 3, randomMerge)));
    it("agrees on random overrides", () => compare(generate(150, 4, randomUpdates)));

    it("agrees on what is missing and may be", () => compare(missingCases(generate(150, 5, randomMerge))));

    it("differs where it is meant to, and only so", async () => {
      const folder = temporaryFolder();
      const theirs = askOmegaConf(knownDifferences);
      for (const [i, difference] of knownDifferences.entries()) {
        const ours = await askLoadConfig(difference, join(folder, String(i)));
        expect(ours, difference.reason).not.toEqual(theirs[i]);
        if (difference.ours === "error") expect(ours, difference.reason).toHaveProperty("error");
        else expect(valueUnderK(ours), difference.reason).toEqual(difference.ours);
      }
    });
  },
);

function valueUnderK(answer: Answer): unknown {
  const { dict } = (answer as { value: { dict: [{ str: string }, unknown][] } }).value;
  return decode(dict.find(([key]) => key.str === "k")?.[1]);
}

function decode(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entry = value as { int?: string; str?: string; list?: unknown[]; dict?: [{ str: string }, unknown][] };
  if (entry.list !== undefined) return entry.list.map(decode);
  if (entry.dict !== undefined) return Object.fromEntries(entry.dict.map(([key, inner]) => [key.str, decode(inner)]));
  return entry.int === undefined ? entry.str : Number(entry.int);
}
