import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { formatDropTable, prepareData, validateDataDir } from "millrace/recipes";
import { mfcc, readAudio } from "millrace/speech";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const child = join(root, "test/fixtures/children/prepare-corpus.mjs");
const { makeCorpus } = (await import(join(root, "examples/corpus/make-corpus.mjs"))) as {
  makeCorpus: (folder: string) => string;
};

/** Every file of a corpus by its digest, without what says who made it and when. */
function digestsBelow(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter(
    (name) => !name.startsWith(".millrace") && !/(?:^|\/)(?:done|manifest\.json)$/.test(name),
  );
  const files = names.filter((name) => statSync(join(dir, name)).isFile()).sort();
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dir, name)))
        .digest("hex"),
    ]),
  );
}

describe("preparing data on worker processes", () => {
  it("gives the same bytes as in one process, also when everything is killed again and again", async () => {
    const folder = temporaryFolder();
    const manifest = makeCorpus(join(folder, "corpus"));
    const [inline, killed] = [join(folder, "inline"), join(folder, "killed")];
    const summary = await prepareData(
      {
        prep: {
          manifest,
          output_dir: inline,
          audio: { write: true },
          text: { case: "lower", remove: ".", allowed: "a-z " },
          kaldi: { paths: "relative" },
          dataset: { title: "Killed and resumed" },
        },
      },
      { batchSize: 8, parallel: { env: "local" }, progress: false },
    );
    expect(summary).toMatchObject({ utterances: 96, speakers: 8, kaldiProblems: [] });

    for (const committed of [1, 6]) {
      const driver = spawn(process.execPath, [child, manifest, killed], { stdio: "ignore", detached: true });
      const end = once(driver, "exit");
      while (driver.exitCode === null && shardsIn(killed) < committed) await sleep(5);
      // Driver and workers: the whole group.
      if (driver.exitCode === null) process.kill(-driver.pid!, "SIGKILL");
      await end;
    }
    const { status, stderr } = spawnSync(process.execPath, [child, manifest, killed], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(digestsBelow(killed)).toEqual(digestsBelow(inline));
    expect(validateDataDir(join(killed, "kaldi"))).toEqual([]);
    expect(formatDropTable(summary)).toMatch(/^kept \(8 speakers\)/m);
  });
});

function shardsIn(dir: string): number {
  try {
    return readdirSync(dir).filter((name) => name.startsWith("split.")).length;
  } catch {
    return 0;
  }
}

describe("the Kaldi folder", () => {
  const hasSort = spawnSync("sort", ["--version"], { env: { ...process.env, LC_ALL: "C" } }).status === 0;

  it.skipIf(!hasSort)("is in the order of sort in the C locale (skipped where there is no GNU sort)", async () => {
    const folder = temporaryFolder();
    const manifest = makeCorpus(join(folder, "corpus"));
    const { kaldiDir } = await prepareData(
      { prep: { manifest, output_dir: join(folder, "out"), features: { type: "none" } } },
      { parallel: { env: "local" }, progress: false },
    );
    for (const name of readdirSync(kaldiDir)) {
      const { status } = spawnSync("sort", ["-c", "-u", "-k1,1", join(kaldiDir, name)], {
        env: { ...process.env, LC_ALL: "C" },
      });
      expect({ name, status }).toEqual({ name, status: 0 });
    }
  });
});

describe("the synthetic corpus", () => {
  it("is the same whenever it is made", () => {
    const [a, b] = [temporaryFolder(), temporaryFolder()];
    expect(relative(a, makeCorpus(a))).toBe("manifest.tsv");
    makeCorpus(b);
    expect(digestsBelow(a)).toEqual(digestsBelow(b));
  });

  it("has voices that statistics of their MFCCs distinguish", async () => {
    const folder = temporaryFolder();
    const summary = await prepareData(
      {
        prep: {
          manifest: makeCorpus(join(folder, "corpus")),
          output_dir: join(folder, "out"),
          audio: { write: true },
          features: { type: "none" },
        },
      },
      { parallel: { env: "local" }, progress: false },
    );
    const rows = readFileSync(summary.manifest, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split("\t"));
    const vectors: { speaker: string; vector: number[] }[] = [];
    for (const [, path, , speaker] of rows) {
      const { samples } = await readAudio(join(summary.outputDir, path!));
      vectors.push({ speaker: speaker!, vector: statisticsOf(samples) });
    }
    expect(equalErrorRate(vectors)).toBeLessThan(0.1);
  });
});

/** Mean and deviation of each cepstrum but the first. */
function statisticsOf(samples: Float32Array): number[] {
  const { data, rows, columns } = mfcc(samples, { numCeps: 24, numMelBins: 40, useEnergy: false });
  return Array.from({ length: columns - 1 }, (_, i) => {
    const column = Array.from({ length: rows }, (_row, row) => data[row * columns + i + 1]!);
    const mean = column.reduce((sum, value) => sum + value, 0) / rows;
    return [mean, Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rows)];
  }).flat();
}

/** Of all pairs, by the cosine of the vectors without their common mean. */
function equalErrorRate(all: readonly { speaker: string; vector: number[] }[]): number {
  const mean = all[0]!.vector.map((_, i) => all.reduce((sum, { vector }) => sum + vector[i]!, 0) / all.length);
  const unit = all.map(({ vector }) => {
    const centred = vector.map((value, i) => value - mean[i]!);
    return centred.map((value) => value / Math.hypot(...centred));
  });
  const trials = unit.flatMap((a, i) =>
    unit.slice(0, i).map((b, j) => ({
      score: a.reduce((sum, value, k) => sum + value * b[k]!, 0),
      isSame: all[i]!.speaker === all[j]!.speaker,
    })),
  );
  trials.sort((a, b) => b.score - a.score);
  const same = trials.filter(({ isSame }) => isSame).length;
  let [accepted, wrong] = [0, 0];
  for (const { isSame } of trials) {
    if (isSame) accepted++;
    else wrong++;
    const [misses, falseAccepts] = [(same - accepted) / same, wrong / (trials.length - same)];
    if (falseAccepts >= misses) return (falseAccepts + misses) / 2;
  }
  return 1;
}
