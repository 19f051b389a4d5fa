import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32, crcText } from "../../../src/bytes/crc32.ts";

/** One change to a run folder, with a name by which it can be repeated. */
export interface Mutation {
  readonly name: string;
  /** The file or folder that is changed, relative to the run folder. */
  readonly file: string;
  /** Changes the run in `runDir`; `canary` is the folder outside. */
  apply(runDir: string, canary: string): void;
}

type Json = unknown;
const missing = Symbol("missing");

type Value = readonly [name: string, value: Json | typeof missing];

const texts: readonly Value[] = [
  // With canaries at every level these lead to one of them from every folder of a run.
  ["a path up", "../../canary/precious"],
  ["a path far up", "../../../../canary/precious"],
  ["..", ".."],
  ["an absolute path", "/CANARY/precious"],
  ["an address of a file", "file:///CANARY/precious/thesis.tex"],
  ["the name of a link", "link/thesis.tex"],
  ["a NUL", "a\0b"],
  ["a line break", "a\nmillrace: b"],
  ["a leading dash", "-oProxyCommand=touch x"],
  ["a terminal's command", "\u001b]0;x\u0007"],
  ["a very long text", "x".repeat(100_000)],
  ["__proto__", "__proto__"],
  ["an empty text", ""],
];
const numbers: readonly Value[] = [
  ["a huge number", 1e9],
  ["a number without end", 1e308],
  ["a negative number", -1],
  ["half a number", 0.5],
  ["the text NaN", "NaN"],
];
const others: readonly Value[] = [
  ["null", null],
  ["true", true],
  ["an object with a prototype", JSON.parse('{"__proto__":{"isClosed":true},"length":1000000000}') as Json],
  ["a list", [null, 1e9, "../../canary/precious", { name: "../../canary/precious" }]],
  ["no list", []],
  ["nothing", missing],
];

/** What replaces a field: attacks of its kind, and one value of every other kind. */
function hostileTo(value: Json): readonly Value[] {
  if (typeof value === "string") return [...texts, numbers[0]!, ...others];
  if (typeof value === "number") return [...numbers, texts[0]!, ...others];
  return [texts[0]!, numbers[0]!, ...others];
}

/** What kind of file it is: of several of a kind one is changed. */
export function kindOf(file: string): string {
  return file.replace(/[0-9a-z]{6}-[0-9a-z]{6}/, "ID").replace(/\b\d+(?=[./]|$)/g, "N");
}

/** Every change to one field of one file. */
export function fieldMutations(runDir: string): Mutation[] {
  return oneOfEach(filesBelow(runDir)).flatMap((file) => {
    const text = readFileSync(join(runDir, file), "utf8");
    const format = formatOf(file, text);
    if (format === undefined) return [];
    return fieldsOf(format.value, []).flatMap((path) =>
      hostileTo(fieldAt(format.value, path)).map(
        ([name, value]): Mutation => ({
          name: `${file} ${path.join(".") || "(all)"} = ${name}`,
          file,
          apply(dir, canary) {
            const meant = JSON.parse(
              JSON.stringify(value === missing ? null : value).replaceAll("/CANARY", canary),
            ) as Json;
            const changed = put(format.value, path, value === missing ? missing : meant);
            overwrite(join(dir, file), format.write(changed === missing ? undefined : changed));
          },
        }),
      ),
    );
  });
}

/** Every change to a file or folder as a whole. */
export function wholeMutations(runDir: string): Mutation[] {
  const isRoot = process.getuid?.() === 0;
  return oneOfEach(entriesBelow(runDir)).flatMap((file) => {
    const isFolder = lstatSync(join(runDir, file)).isDirectory();
    const change = (name: string, act: (path: string, canary: string) => void): Mutation => ({
      name: `${file} is ${name}`,
      file,
      apply: (dir, canary) => act(join(dir, file), canary),
    });
    const instead = (name: string, make: (path: string, canary: string) => void) =>
      change(name, (path, canary) => {
        rmSync(path, { recursive: true, force: true });
        mkdirSync(dirname(path), { recursive: true });
        make(path, canary);
      });
    return [
      instead("gone", () => {}),
      instead("a pipe", (path) => void execFileSync("mkfifo", [path])),
      instead("a link to a file outside", (path, canary) => symlinkSync(join(canary, "file"), path)),
      instead("a link to a folder outside", (path, canary) => symlinkSync(join(canary, "precious"), path)),
      instead("a link to nothing", (path, canary) => symlinkSync(join(canary, "nothing"), path)),
      instead("a link to itself", (path) => symlinkSync(path, path)),
      instead("a second name of a file outside", (path, canary) => linkSync(join(canary, "file"), path)),
      ...(isFolder
        ? [instead("an empty file", (path) => writeFileSync(path, ""))]
        : [
            instead("a folder", (path) => mkdirSync(path)),
            instead("a folder with something in it", (path) => {
              mkdirSync(path);
              writeFileSync(join(path, "x"), "x");
            }),
            instead("empty", (path) => writeFileSync(path, "")),
            change("cut in half", (path) => truncateSync(path, Math.floor(lstatSync(path).size / 2))),
            instead("a very large hole", (path) => {
              writeFileSync(path, "{");
              truncateSync(path, 2 ** 40);
            }),
            instead("nested without end", (path) => writeFileSync(path, "[".repeat(1e6))),
            instead("deeply nested", (path) => writeFileSync(path, `${"[".repeat(1e5)}${"]".repeat(1e5)}`)),
          ]),
      // Permissions mean nothing to root.
      ...(isRoot ? [] : [change("not readable", (path) => chmodSync(path, 0))]),
    ];
  });
}

/** Names that a run folder should not have. */
export function nameMutations(): Mutation[] {
  const made = (file: string, make: (path: string, canary: string) => void): Mutation => ({
    name: `${JSON.stringify(file)} is made`,
    file,
    apply(dir, canary) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      make(join(dir, file), canary);
    },
  });
  const folder = (path: string) => mkdirSync(path, { recursive: true });
  const link = (path: string, canary: string) => symlinkSync(join(canary, "precious"), path);
  return [
    made("split.999999999", folder),
    made("split.999999999999999999999999", folder),
    made("split.00", link),
    made("split.77", link),
    made(".millrace/attempts/0.999999999.fenced", folder),
    made(".millrace/attempts/0.999999.fenced", folder),
    made(".millrace/attempts/2.7", link),
    made(".millrace/attempts/2.7.fenced", link),
    made(".millrace/attempts/merge.7", link),
    made(".millrace/leases/2.7", link),
    made(".millrace/workers/a\nb.json", (path) => writeFileSync(path, "{}")),
    made(".millrace/workers/-x.json", link),
    made(".millrace/logs/-x.log", (path, canary) => linkSync(join(canary, "file"), path)),
    made(".millrace/logs/job-x.1.log", link),
    made(".millrace/history/-x.jsonl", (path, canary) => symlinkSync(join(canary, "file"), path)),
    made("records.jsonl.1.tmp", link),
    made("report.html", (path, canary) => symlinkSync(join(canary, "file"), path)),
  ];
}

interface Format {
  readonly value: Json;
  write(value: Json | undefined): string;
}

/** How a file is taken apart and put together again; undefined for one that has no fields. */
function formatOf(file: string, text: string): Format | undefined {
  if (/\.checkpoint\.(?:%answers\.)?\d$/.test(file)) {
    const [first = ""] = text.split("\n", 1);
    const write = (value: Json) => {
      const json = JSON.stringify(value) ?? "";
      return `${crcText(crc32(Buffer.from(json)))} ${json}\n`;
    };
    return { value: JSON.parse(first.slice(9)), write };
  }
  if (text === "") return undefined;
  // Numbers between blanks.
  if (file.endsWith("/.item")) return { value: text.trim().split(/\s+/), write: (value) => wordsOf(value) };
  try {
    return { value: JSON.parse(text), write: (value) => `${JSON.stringify(value) ?? ""}\n` };
  } catch {
    if (!file.endsWith(".jsonl")) return undefined;
    const [first = "", ...rest] = text.split("\n");
    return { value: JSON.parse(first), write: (value) => [JSON.stringify(value) ?? "", ...rest].join("\n") };
  }
}

function wordsOf(value: Json): string {
  const word = (part: Json) => (typeof part === "string" ? part : (JSON.stringify(part) ?? ""));
  return `${(Array.isArray(value) ? value : [value]).map(word).join(" ")}\n`;
}

const maxOfList = 1;
const maxOfTable = 12;
const maxOfLongTable = 2;

/** The ways to all fields of a value, itself included. Of long lists and tables the first ones. */
function fieldsOf(value: Json, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const all = Object.keys(value);
  const most = Array.isArray(value) ? maxOfList : all.length > maxOfTable ? maxOfLongTable : maxOfTable;
  // Many keys are many of a kind, but not at the top, where each is a field of its own.
  const keys = path.length === 0 && !Array.isArray(value) ? all : all.slice(0, most);
  return [path, ...keys.flatMap((key) => fieldsOf((value as Record<string, Json>)[key], [...path, key]))];
}

function fieldAt(value: Json, path: readonly string[]): Json {
  return path.reduce((inner, key) => (inner as Record<string, Json>)[key], value);
}

function put(value: Json, [key, ...rest]: readonly string[], now: Json | typeof missing): Json | typeof missing {
  if (key === undefined) return now;
  const copy = (Array.isArray(value) ? [...(value as Json[])] : { ...(value as object) }) as Record<string, Json>;
  const inner = put(copy[key], rest, now);
  if (inner === missing) delete copy[key];
  else Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** Leases are second names of a worker's file: they stay so. */
function overwrite(path: string, text: string): void {
  writeFileSync(path, text);
}

function oneOfEach(files: readonly string[]): string[] {
  return [...new Map(files.map((file) => [kindOf(file), file])).values()];
}

function entriesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "link")
    .sort();
}

function filesBelow(dir: string): string[] {
  return entriesBelow(dir).filter((name) => lstatSync(join(dir, name)).isFile());
}
