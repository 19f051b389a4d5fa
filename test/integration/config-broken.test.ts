// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
// Whatever is wrong with a config, the error says where and what, and it comes soon.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkShape } from "../../src/config/check-shape.ts";
import { instantiate } from "../../src/config/instantiate.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { MillraceError } from "../../src/errors/errors.ts";
import { type BrokenCase, brokenCases } from "../fixtures/configs/broken-cases.ts";
import { Random, randomExpression, randomFile } from "../fixtures/configs/omegaconf-cases.ts";
import { writeFiles } from "../support/write-files.ts";

async function use({ config, overrides, shape, isTarget }: BrokenCase, folder: string): Promise<void> {
  const path = join(folder, "config.yaml");
  const loaded = await loadConfig(path, overrides);
  if (shape !== undefined) checkShape(loaded, shape);
  if (isTarget === true) await instantiate(loaded, { projectRoot: folder });
  throw new Error(`nothing was wrong with ${JSON.stringify(config).slice(0, 200)}`);
}

describe("a broken config", () => {
  it("is tried in many ways", () => {
    expect(brokenCases.length).toBeGreaterThanOrEqual(60);
    expect(new Set(brokenCases.map(({ config, overrides }) => JSON.stringify([config, overrides]))).size).toBe(
      brokenCases.length,
    );
  });

  it.each(brokenCases.map((entry) => [entry.name, entry] as const))("%s", async (_name, entry) => {
    const { config } = entry;
    const isFiles = typeof config === "object" && !(config instanceof Uint8Array);
    const folder = writeFiles(isFiles ? config : { "config.yaml": config });
    const before = process.cpuUsage();
    const error: unknown = await use(entry, folder).catch((thrown: unknown) => thrown);
    // Each takes milliseconds, the largest a second or two. Time on the processor: the machine may be busy.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(20_000);
    expect(error).toBeInstanceOf(MillraceError);
    const { code, message } = error as MillraceError;
    expect(code).toBe(entry.isTarget === true ? "BAD_TARGET" : "BAD_CONFIG");
    const place = entry.place.startsWith("override ") ? entry.place : join(folder, entry.place);
    expect(message.slice(0, place.length)).toBe(place);
    expect(message).toContain(entry.message);
    // An error that fills the screen is not read.
    expect(message.length).toBeLessThan(1_000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("is an error of this kind, whatever it is", async () => {
    const random = new Random(7);
    const folder = writeFiles({});
    let errors = 0;
    for (let i = 0; i < 600; i++) {
      const text = scramble((random.chance(0.5) ? randomFile(random) : randomExpression(random)).yaml[0]!, random);
      const path = join(folder, `${i}.yaml`);
      writeFileSync(path, text);
      try {
        await loadConfig(path, random.chance(0.3) ? [scramble("+k0.k1={a:[1,'x'],b:${k2}}", random)] : []);
      } catch (error) {
        errors++;
        expect(error, text).toBeInstanceOf(MillraceError);
        expect((error as MillraceError).code).toBe("BAD_CONFIG");
      }
    }
    expect(errors).toBeGreaterThan(100);
  });
});

/** The text with a few characters changed, lost or doubled. */
function scramble(text: string, random: Random): string {
  let out = text;
  for (let count = random.below(4); count > 0; count--) {
    const at = random.below(out.length);
    const odd = random.pick([
      ..."&*!|>%@`,?{}[]#:-'\"\\$~\t\n \0\uFEFF\u2028é😀",
      "<<: ",
      "!!",
      "${",
      "\ud800",
      "__proto__: ",
    ]);
    out = out.slice(0, at) + random.pick([odd, "", out.slice(at, at + 20)]) + out.slice(at + random.below(3));
  }
  return out;
}
