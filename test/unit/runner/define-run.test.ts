import { describe, expect, it } from "vitest";
import { range } from "../../../src/plan/range.ts";
import { defineRun } from "../../../src/runner/define-run.ts";

const quiet = { progress: false } as const;

describe("defineRun", () => {
  it("makes a provider and a runner that run", async () => {
    const { AddProvider, AddRunner } = defineRun("Add", import.meta.url, {
      buildEnv: async ({ by }: { readonly by: number }) => ({ by }),
      forward: (idx, { by }) => (idx === 1 ? null : idx + by),
    });
    expect(await new AddRunner(new AddProvider({ by: 10 }), quiet).run(range(3))).toEqual([10, 12]);
  });

  it("gives both classes the names and the statics that a worker finds them by", () => {
    const made = defineRun("Add", "file:///a.js", { buildEnv: () => ({}), forward: (idx) => idx, version: 3 });
    for (const [name, ownClass] of Object.entries(made)) {
      const { module, version } = ownClass as { module?: string; version?: number };
      expect([ownClass.name, module, version]).toEqual([name, "file:///a.js", 3]);
    }
    expect(Object.keys(made)).toEqual(["AddProvider", "AddRunner"]);
    expect(Object.hasOwn(made.AddRunner, "module")).toBe(true);
  });

  it.each(["", "1st", "a b", "a.b"])("refuses a name that no export can have: %j", (name) => {
    const definition = { buildEnv: () => ({}), forward: (idx: number) => idx };
    expect(() => defineRun(name, import.meta.url, definition)).toThrow(/defineRun got the name/);
  });
});
