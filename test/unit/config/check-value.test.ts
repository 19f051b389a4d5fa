import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkShape } from "../../../src/config/check-shape.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { StandardSchema } from "../../../src/config/standard-schema.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function configOf(text: string) {
  const path = join(temporaryFolder(), "config.yaml");
  writeFileSync(path, text);
  return { path, config: await loadConfig(path) };
}

const schemas = {
  zod: z.object({ bins: z.number().int().min(1), stats: z.string().default("stats.npz"), tags: z.array(z.string()) }),
  valibot: v.object({
    bins: v.pipe(v.number(), v.integer(), v.minValue(1)),
    stats: v.optional(v.string(), "stats.npz"),
    tags: v.array(v.string()),
  }),
};

describe.each(Object.entries(schemas))("checkShape with a schema of %s", (_vendor, schema) => {
  it("gives what the schema gives, with its defaults", async () => {
    const { config } = await configOf("bins: 80\ntags: [a]\n");
    expect(checkShape(config, schema)).toEqual({ bins: 80, stats: "stats.npz", tags: ["a"] });
  });

  it("names every mistake with its place in the file", async () => {
    const { path, config } = await configOf("bins: many\ntags: [a, 1]\n");
    const check = () => checkShape(config, schema, path);
    expect(check).toThrow(expect.objectContaining({ code: "BAD_CONFIG" }));
    expect(check).toThrow(/config\.yaml:1:1: bins is not valid: .*number/);
    expect(check).toThrow(/config\.yaml:2:11: tags\[1\] is not valid: .*string/);
  });
});

describe("a schema that checks asynchronously", () => {
  it.each([
    ["zod", z.string().refine(async () => true)],
    [
      "valibot",
      v.pipeAsync(
        v.string(),
        v.checkAsync(async () => Promise.reject(new Error("late"))),
      ),
    ],
  ] as const)("of %s is refused", (vendor, schema) => {
    expect(() => checkShape("a", schema as StandardSchema)).toThrow(
      expect.objectContaining({
        code: "BAD_OPTION",
        message: expect.stringContaining(`A schema of ${vendor} checks asynchronously`),
      }),
    );
  });
});

/** As arktype has them: a function with the interface. */
function callable(issues: readonly { message: string; path?: readonly PropertyKey[] }[]): StandardSchema<string> {
  return Object.assign(() => "", { "~standard": { version: 1, vendor: "own", validate: () => ({ issues }) } } as const);
}

describe("a schema of no library that is known", () => {
  it("may be a function, and name keys that are symbols", () => {
    expect(() => checkShape({}, callable([{ message: "Wrong.", path: [Symbol("key")] }]), "here")).toThrow(
      /^here: .*Symbol\(key\).* is not valid: Wrong\.\n/,
    );
  });

  it("is believed when it says that something is wrong, but not what", () => {
    expect(() => checkShape({}, callable([]), "here")).toThrow(/^here: the config is not valid\./);
  });
});
