import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../../src/audio/encode-wav.ts";
import { makeFrontEnd } from "../../../../src/recipes/xvector/make-front-end.ts";
import { prepareUtterance } from "../../../../src/recipes/xvector/prepare-utterance.ts";
import { conventionOf } from "../../../../src/recipes/xvector/toolkits/choose-convention.ts";
import { speak } from "../../../support/recipes/voices.ts";
import { sharedIsAbsent, sharedPath } from "../../../support/shared-path.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const convention = conventionOf({ toolkit: "builtin", save_path: "out", manifest_paths: {} });
const frontEnd = makeFrontEnd(convention);
const usual = { channel: "mix", silenceDb: -70, maxClipped: 1 } as const;

function prepare(samples: Float32Array | string, changed: object = {}, sampleRate = 16_000) {
  let path = samples as string;
  if (typeof samples !== "string") {
    path = join(temporaryFolder(), "utt.wav");
    writeFileSync(path, encodeWav(samples, { sampleRate }));
  }
  return prepareUtterance(path, frontEnd, { convention, policy: { ...usual, ...changed } });
}

describe("prepareUtterance", () => {
  it("gives features and says how long the audio is, whatever its rate", async () => {
    const { input, seconds, clipped, warnings } = await prepare(speak(1, 1, 1));
    expect([input.rows, input.columns, seconds, clipped, warnings]).toEqual([98, 24, 1, 0, []]);
    const slow = await prepare(speak(1, 1, 1).subarray(0, 8000), {}, 8000);
    expect([slow.input.rows, slow.seconds]).toEqual([98, 1]);
  });

  it("keeps the utterances of a batch apart, although their memory is used again", async () => {
    const voices = [1, 2, 3, 4].map((speaker) => speak(speaker, 1, speaker / 2));
    const alone = [];
    for (const voice of voices) alone.push((await prepare(voice)).input.data.slice());
    const together = await Promise.all(voices.map((voice) => prepare(voice)));
    expect(together.map(({ input }) => input.data)).toEqual(alone);
  });

  it.each([
    ["too short", speak(1, 1, 0.2), {}, /too short: 0\.2 s, at least 0\.25 s/],
    ["silent", new Float32Array(16_000), {}, /silent: its peak is at -Infinity dB/],
    ["silent but for a constant", new Float32Array(16_000).fill(0.3), {}, /silent/],
    [
      "clipped beyond what is allowed",
      speak(1, 1, 1).map((x) => Math.max(-1, Math.min(1, 30 * x))),
      { maxClipped: 0.05 },
      /clipped: \d/,
    ],
  ])("refuses audio that is %s", async (_what, samples, policy, message) => {
    await expect(prepare(samples, policy)).rejects.toMatchObject({
      code: "BAD_AUDIO",
      message: expect.stringMatching(message),
    });
  });

  it("takes clipped audio otherwise, with a word about it", async () => {
    const { clipped, warnings } = await prepare(speak(1, 1, 1).map((x) => Math.max(-1, Math.min(1, 30 * x))));
    expect(clipped).toBeGreaterThan(0.05);
    expect(warnings).toEqual(["clipped"]);
  });

  it("takes quiet audio that is not silent", async () => {
    await expect(prepare(speak(1, 1, 1).map((x) => x / 100))).resolves.toMatchObject({ seconds: 1 });
  });
});

const odd = sharedPath("data", "odd");

describe.skipIf(odd === undefined)(`odd audio${odd === undefined ? ` (skipped: ${sharedIsAbsent})` : ""}`, () => {
  const rows =
    odd === undefined
      ? []
      : readFileSync(join(odd, "expected.tsv"), "utf8")
          .trim()
          .split("\n")
          .slice(1)
          .map((line) => line.split("\t") as [string, string, string]);
  // Silence is audio for a reader, but gives no embedding that means anything.
  const isRefused = ([, expected, reason]: readonly string[]) => expected === "refuse" || reason === "silence";

  it.each(rows.filter(isRefused))("%s gives no vector", async (file) => {
    await expect(prepare(join(odd!, file))).rejects.toMatchObject({ code: "BAD_AUDIO" });
  });

  it.each(rows.filter((row) => !isRefused(row)))("%s gives features (%s)", async (file, expected, reason) => {
    const { input, warnings } = await prepare(join(odd!, file));
    expect(input.rows).toBeGreaterThan(20);
    if (expected === "warn") expect(warnings).toContain(reason);
  });
});
