import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import { removeFolder } from "../remove-folder.ts";

export const repository = fileURLToPath(new URL("../../..", import.meta.url));
export const program = join(repository, "dist", "cli", "millrace.js");
const fixtures = fileURLToPath(new URL("../../fixtures/cli/", import.meta.url));

// Tests of a file may run at the same time: what they make is removed, and what they start is ended, after the last.
const base = mkdtempSync(join(tmpdir(), "millrace-test-"));
const ends: (() => void)[] = [];
afterAll(async () => {
  for (const end of ends) end();
  await removeFolder(base);
});

/** An empty folder. */
export function emptyFolder(): string {
  return mkdtempSync(join(base, "folder-"));
}

/** Has something done after the last test of the file. */
export function atTheEnd(act: () => void): void {
  ends.push(act);
}

/** What a command left behind. Its status is what a shell would say: 130 for one that Ctrl-C has ended. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that was started; `seen` waits until its output matches. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  seen(pattern: RegExp): Promise<void>;
}

type Variables = Readonly<Record<string, string | undefined>>;

// The terminal in which the tests run must not matter.
const neutral = { NO_COLOR: undefined, FORCE_COLOR: undefined, TERM: "xterm", MILLRACE_DEBUG: undefined };

/** Starts a program; it is ended with the tests at the latest. */
export function start(words: readonly string[], cwd: string, variables: Variables = {}): Started {
  const [name, ...args] = words as [string, ...string[]];
  const env = { ...process.env, ...neutral, ...variables };
  const child = spawn(name, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (part: string) => (said[stream] += part));
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ ...said, status: code ?? 128 + constants.signals[signal!] }));
  });
  ended.catch(() => {});
  atTheEnd(() => void child.kill("SIGKILL"));
  const seen = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (pattern.test(said.stdout + said.stderr)) resolve();
      };
      look();
      for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
      ended.then((outcome) => reject(new Error(`It never wrote ${pattern}: ${JSON.stringify(outcome)}`)), reject);
    });
  return { child, ended, seen };
}

/** A project that `millrace init` has made, with a few jobs beside its own. */
export interface Project {
  readonly dir: string;
  path(name: string): string;
  /** Runs `millrace` to its end. */
  run(...args: string[]): Promise<Outcome>;
  start(args: readonly string[], variables?: Variables): Started;
  /** The same in a pseudo-terminal, whose output is stdout. */
  startInTerminal(args: readonly string[], variables?: Variables): Started;
  /** Makes an empty file: a sign for the jobs to continue. */
  touch(name: string): void;
  text(name: string): string;
  names(name: string): string[];
}

export function makeProject(): Project {
  const dir = join(emptyFolder(), "corpus");
  initProject(dir);
  return projectIn(dir);
}

/** Makes a project as a user would, but for `npm install`: the package is this repository. */
export function initProject(dir: string): void {
  cpSync(template(), dir, { recursive: true });
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(repository, join(dir, "node_modules", "millrace"));
  for (const name of ["jobs.js", "job.yaml"]) cpSync(join(fixtures, name), join(dir, name));
}

let made: string | undefined;

// Once a test file: a copy is made faster than a new one.
function template(): string {
  if (made !== undefined) return made;
  made = join(emptyFolder(), "corpus");
  const { status, stderr } = spawnSync(process.execPath, [program, "init", made], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return made;
}

export function projectIn(dir: string): Project {
  const path = (name: string) => join(dir, name);
  const words = (args: readonly string[]) => [process.execPath, program, ...args];
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  return {
    dir,
    path,
    run: (...args) => start(words(args), dir).ended,
    start: (args, variables) => start(words(args), dir, variables),
    startInTerminal: (args, variables) =>
      start(["script", "-qec", words(args).map(quoted).join(" "), "/dev/null"], dir, variables),
    touch: (name) => writeFileSync(path(name), ""),
    text: (name) => readFileSync(path(name), "utf8"),
    names: (name) => (existsSync(path(name)) ? readdirSync(path(name)) : []),
  };
}
