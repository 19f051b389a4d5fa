import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { encodeWav } from "../../../src/audio/encode-wav.ts";
import { readAudio } from "../../../src/audio/lazy-audio.ts";
import { flacMistakes, mutateFlac, takeApart } from "../../support/audio/mutate-flac.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const hasFlac = spawnSync("flac", ["--version"]).status === 0;
const missing = hasFlac ? "" : ": the flac program is missing";
const times = Number(process.env["MILLRACE_AUDIO_TIMES"] ?? 1);
const golden = (name: string) => readFileSync(fileURLToPath(new URL(`../../golden/audio/${name}`, import.meta.url)));

/** Stereo of 24 bits, as the flac program packs it. */
function packed24(): Uint8Array {
  const random = seededRandom(3);
  const noise = () => Float32Array.from({ length: 12_000 }, (_, i) => Math.sin(i / 40) * 0.5 + random() * 0.1);
  const folder = temporaryFolder();
  writeFileSync(join(folder, "a.wav"), encodeWav([noise(), noise()], { sampleRate: 16_000, encoding: "pcm24" }));
  expect(spawnSync("flac", ["-s", "-b", "1024", join(folder, "a.wav")]).status).toBe(0);
  return readFileSync(join(folder, "a.flac"));
}

describe.skipIf(!hasFlac)(`a FLAC file with a mistake in it${missing}`, () => {
  it("is refused where the flac program refuses it, or gives all samples of the sound file", {
    timeout: 300_000 * times,
  }, async () => {
    const path = join(temporaryFolder(), "mutated.flac");
    const files = [];
    for (const bytes of [golden("best.flac"), golden("small-blocks.flac"), packed24()]) {
      files.push({ ...(await takeApart(bytes)), samples: (await readAudio(bytes)).samples });
    }
    const refused = { ours: 0, theirs: 0 };
    for (let seed = 0; seed < 210 * times; seed++) {
      const file = files[seed % files.length]!;
      const mistake = flacMistakes[Math.floor(seed / files.length) % flacMistakes.length]!;
      const bytes = mutateFlac(file, mistake, seededRandom(seed));
      writeFileSync(path, bytes);
      const isRefusedByFlac = spawnSync("flac", ["-t", "-s", path]).status !== 0;
      const samples = await readAudio(bytes).then(
        (audio) => audio.samples,
        (error: unknown) => {
          expect(error, `seed ${seed}`).toMatchObject({ code: "BAD_AUDIO" });
          return undefined;
        },
      );
      if (samples === undefined) refused.ours++;
      if (!isRefusedByFlac) continue;
      refused.theirs++;
      // Bytes behind the last frame and broken metadata are no damage to the audio: its MD5 has been compared.
      if (samples !== undefined) expect(samples, `seed ${seed}, ${mistake}`).toEqual(file.samples);
    }
    expect(refused.ours).toBeGreaterThan(100 * times);
    expect(refused.theirs).toBeGreaterThan(100 * times);
  });
});
