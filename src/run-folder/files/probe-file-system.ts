import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf, messageOf } from "../../errors/errors.ts";

/** What a file system was seen to do. */
export interface FileSystemProbe {
  readonly abilities: readonly Ability[];
  /** What it takes to read a small file, in milliseconds; the median of some. */
  readonly readMs: number;
  /** How far its clock is ahead of this host's; negative where it is behind. */
  readonly clockAheadMs: number;
  /** Its times are multiples of this. 1 where they are at least that fine. */
  readonly timeStepMs: number;
}

/** One thing that a run does with its folder. */
export interface Ability {
  readonly name: string;
  /** A run cannot work without it. Without the others it only takes longer. */
  readonly isNeeded: boolean;
  /** What is wrong; undefined if the file system can do it. */
  readonly missing: string | undefined;
}

export interface ProbeOptions {
  /** Only what a run cannot do without, with as few calls as possible. */
  readonly neededOnly?: boolean;
}

/** Tries in a folder what a run needs from its file system, and measures it. Everything is in a subfolder that is removed. */
export function probeFileSystem(folder: string, { neededOnly = false }: ProbeOptions = {}): FileSystemProbe {
  const place = join(folder, `.probe-${Math.random().toString(36).slice(2)}`);
  const calls = new MeasuredCalls();
  calls.insist(() => mkdirSync(place));
  if (!calls.finds(place)) mkdirSync(place);
  try {
    const needed = [...tryNeeded(place, calls)].map(([name, missing]) => ({ name, isNeeded: true, missing }));
    const isFit = needed.every(({ missing }) => missing === undefined);
    const helpful = neededOnly || !isFit ? [] : [...tryHelpful(place, calls)];
    return {
      abilities: [...needed, ...helpful.map(([name, missing]) => ({ name, isNeeded: false, missing }))],
      readMs: calls.readMs(),
      ...(neededOnly ? { clockAheadMs: 0, timeStepMs: 1 } : readClock(join(place, "clock"), calls)),
    };
  } finally {
    removePlace(place, calls);
  }
}

/** What is left after all went well is removed by name: a list of each folder would double the number of calls. */
function removePlace(place: string, calls: MeasuredCalls): void {
  const isGone =
    calls.try(() => unlinkSync(join(place, "b", "file"))) === undefined &&
    ["a", "b", "."].every((name) => calls.try(() => rmdirSync(join(place, name))) === undefined);
  if (!isGone) calls.insist(() => rmSync(place, { recursive: true, force: true, maxRetries: 3 }));
}

type Tried = readonly [name: string, missing: string | undefined];

// Each step is judged by what is there afterwards, never by the answer alone: that may have been lost. So each may be
// repeated too.
function* tryNeeded(place: string, calls: MeasuredCalls): Generator<Tried> {
  const [a, b] = [join(place, "a"), join(place, "b")];
  const [inA, inB] = [join(a, "file"), join(b, "file")];

  const made = calls.insist(() => mkdirSync(a));
  const again = calls.try(() => mkdirSync(a));
  if (!calls.finds(a)) return yield ["make a folder once", `mkdir failed (${made})`];
  yield ["make a folder once", again === undefined ? "mkdir of a folder that exists succeeds" : undefined];

  const created = calls.try(() => writeFileSync(inA, "written", { flag: "wx" }));
  const twice = calls.try(() => writeFileSync(inA, "", { flag: "wx" }));
  if (!calls.finds(inA)) return yield ["create a file once", `creating a file exclusively failed (${created})`];
  yield ["create a file once", twice === undefined ? "creating a file that exists succeeds" : undefined];
  if (created !== undefined) calls.insist(() => writeFileSync(inA, "written"));

  // As the heartbeat of a worker does.
  const rewritten = calls.insist(() => withOpen(inA, constants.O_WRONLY, (fd) => writeSync(fd, "WRIT", 0)));
  const isShown = calls.read(inA) === "WRITten";
  const why = rewritten === undefined ? "the file shows something else" : `it failed (${rewritten})`;
  yield ["write into a file", isShown ? undefined : `after writing into a file that exists, ${why}`];

  const renamed = calls.insist(() => renameSync(a, b));
  const isWhole = calls.read(inB)?.length === "written".length && !calls.finds(a);
  if (!isWhole) return yield ["rename a folder", `rename of a folder failed (${renamed ?? "it is not whole"})`];
  yield ["rename a folder", undefined];

  // The basis of a shard's commit.
  calls.insist(() => mkdirSync(a));
  calls.insist(() => writeFileSync(inA, "other"));
  const onto = calls.try(() => renameSync(a, b));
  const isKept = onto !== undefined && calls.finds(inA);
  yield ["keep a full folder", isKept ? undefined : "a folder took the place of another one that was not empty"];

  const replaced = calls.insist(() => renameSync(inA, inB));
  const isReplaced = calls.read(inB) === "other";
  yield ["replace a file", isReplaced ? undefined : `rename of a file onto another failed (${replaced})`];
}

function* tryHelpful(place: string, calls: MeasuredCalls): Generator<Tried> {
  const [folder, moved] = [join(place, "c"), join(place, "d")];
  const [file, other] = [join(folder, "file"), join(folder, "other")];
  calls.insist(() => mkdirSync(folder));
  calls.insist(() => writeFileSync(file, "linked"));

  const linked = calls.insist(() => linkSync(file, other));
  yield ["hard links", calls.read(other) === "linked" ? undefined : `link failed (${linked})`];

  calls.insist(() => writeFileSync(other, "new"));
  calls.insist(() => writeFileSync(`${other}-2`, "newer"));
  const replaced = calls.insist(() => withOpen(other, constants.O_RDONLY, () => renameSync(`${other}-2`, other)));
  const isReplaced = calls.read(other) === "newer";
  yield ["replace an open file", isReplaced ? undefined : `rename onto an open file failed (${replaced})`];

  const renamed = calls.insist(() => withOpen(file, constants.O_WRONLY, () => renameSync(folder, moved)));
  const isMoved = calls.finds(join(moved, "file"));
  yield ["rename a folder with an open file", isMoved ? undefined : `rename of one failed (${renamed})`];
}

/** Calls whose errors become their codes. Reading is timed. */
class MeasuredCalls {
  private readonly readTimes: number[] = [];

  /** Makes a call once. Returns the code of its error, or undefined if it succeeded. */
  try(act: () => unknown): string | undefined {
    try {
      act();
      return undefined;
    } catch (error) {
      return errnoOf(error) ?? messageOf(error);
    }
  }

  /** A call that may fail for a moment. What fails three times fails in a run too. */
  insist(act: () => unknown): string | undefined {
    return this.try(act) && this.try(act) && this.try(act);
  }

  read(path: string): string | undefined {
    let text: string | undefined;
    const beganMs = performance.now();
    this.insist(() => {
      // Not as text: where closing fails, Node.js would end the process.
      text = readFileSync(path).toString("utf8");
    });
    this.readTimes.push(performance.now() - beganMs);
    return text;
  }

  finds(path: string): boolean {
    let isThere = false;
    this.insist(() => {
      isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
    });
    return isThere;
  }

  readMs(): number {
    return this.readTimes.sort((a, b) => a - b)[this.readTimes.length >> 1] ?? 0;
  }
}

function withOpen<T>(path: string, flags: number, act: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return act(fd);
  } finally {
    closeSync(fd);
  }
}

const timeSteps = [2000, 1000, 100, 10];

/** The file system's clock, and the coarsest step that its times fit. One file in a thousand has a whole second by chance. */
function readClock(path: string, calls: MeasuredCalls): Pick<FileSystemProbe, "clockAheadMs" | "timeStepMs"> {
  const beganMs = Date.now();
  calls.insist(() => writeFileSync(path, ""));
  const hereMs = (beganMs + Date.now()) / 2;
  let mtimeMs = hereMs;
  calls.insist(() => {
    mtimeMs = statSync(path).mtimeMs;
  });
  return {
    clockAheadMs: Math.round(mtimeMs - hereMs),
    timeStepMs: timeSteps.find((step) => mtimeMs % step === 0) ?? 1,
  };
}
