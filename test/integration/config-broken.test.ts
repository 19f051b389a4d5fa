// Whatever is wrong with a config, the error says where and what, and it comes soon.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkShape } from "../../src/config/check-shape.ts";
import { instantiate } from "../../src/config/instantiate.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { MillraceError } from "../../src/shared/errors.ts";
import { type BrokenCase, brokenCases } from "../fixtures/configs/broken-cases.ts";
import { writeFiles } from "../fixtures/configs/write-files.ts";

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
    const started = performance.now();
    const error: unknown = await use(entry, folder).catch((thrown: unknown) => thrown);
    // Each takes milliseconds, the largest a second or two; a busy machine may be slow, a loop would not end.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(error).toBeInstanceOf(MillraceError);
    const { code, message } = error as MillraceError;
    expect(code).toBe(entry.isTarget === true ? "BAD_TARGET" : "BAD_CONFIG");
    const place = entry.place.startsWith("override ") ? entry.place : join(folder, entry.place);
    expect(message.slice(0, place.length)).toBe(place);
    expect(message).toContain(entry.message);
    // Nobody reads a screen full of an attack.
    expect(message.length).toBeLessThan(1_000);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
