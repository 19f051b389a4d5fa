import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ItemList } from "../../../../src/plan/item-list.ts";
import {
  compareFingerprints,
  type IdentityParts,
  makeFingerprint,
} from "../../../../src/run-folder/run/fingerprint.ts";

const items = (count: number): ItemList => ({ kind: "segments", count, segments: [[0, 1, count]] });
const base: IdentityParts = { runner: "Runner", provider: "Provider", config: {}, params: {}, items: items(3) };

function differences(before: Partial<IdentityParts>, after: Partial<IdentityParts>): string[] {
  const [one, two] = [before, after].map((parts) => makeFingerprint({ ...base, ...parts }));
  return compareFingerprints(one!, two!).map(({ key }) => key);
}

const configs = (before: unknown, after: unknown) => differences({ config: before }, { config: after });

class Cleaner {
  readonly level = 1;
}

describe("two runs", () => {
  it("differ in the very keys that changed", () => {
    const before = { model: { size: 1, name: "a" }, rate: 8000, old: true };
    const after = { model: { size: 2, name: "a" }, rate: 8000, added: 1 };
    const [one, two] = [before, after].map((config) => makeFingerprint({ ...base, config }));
    expect(compareFingerprints(one!, two!)).toEqual([
      { key: "config.model.size", before: "1", after: "2" },
      { key: "config.old", before: "true", after: undefined },
      { key: "config.added", before: undefined, after: "1" },
    ]);
  });

  it.each<[string, Partial<IdentityParts>]>([
    ["runner", { runner: "Runner version 2" }],
    ["provider", { provider: "OtherProvider" }],
    ["config", { config: "prep.yaml" }],
    ["params.split", { params: { split: "dev" } }],
    ["options.beam", { options: { beam: 4 } }],
    ["items", { items: items(4) }],
  ])("differ in %s", (key, after) => {
    expect(differences({}, after)).toEqual([key]);
  });

  it("differ in their items also where the number is the same", () => {
    expect(differences({}, { items: { kind: "segments", count: 3, segments: [[1, 1, 3]] } })).toEqual(["items"]);
    const list = (last: number): ItemList => ({ kind: "list", count: 3, indices: Uint32Array.of(5, 1, last) });
    expect(differences({ items: list(2) }, { items: list(3) })).toEqual(["items"]);
  });

  it.each(["batch_size", "batchSize", "n_workers", "nWorkers"])("do not differ in %s, at any depth", (key) => {
    expect(configs({ [key]: 1, model: { [key]: 1 } }, { [key]: 2, model: {} })).toEqual([]);
    expect(differences({ params: { [key]: 1 } }, { params: { [key]: 2 } })).toEqual([]);
  });

  it("do not differ in config.parallel", () => {
    expect(configs({ parallel: { env: "local", options: { queue: "a" } } }, { parallel: { env: "slurm" } })).toEqual(
      [],
    );
  });

  it("differ in a section called parallel that is deeper", () => {
    expect(configs({ model: { parallel: 1 } }, { model: { parallel: 2 } })).toEqual(["config.model.parallel"]);
  });

  it("do not differ in the order of keys, also inside lists", () => {
    expect(configs({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toEqual([]);
  });

  it("differ in the order of a list", () => {
    expect(configs({ steps: ["a", "b"] }, { steps: ["b", "a"] })).toEqual(["config.steps"]);
  });

  it("do not differ in keys that are undefined", () => {
    expect(configs({ a: undefined }, {})).toEqual([]);
  });

  it("differ in any leaf that is JSON", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    fc.assert(
      fc.property(leaf, leaf, (before, after) => {
        const isSame = JSON.stringify(before) === JSON.stringify(after);
        expect(configs({ a: { b: before } }, { a: { b: after } })).toEqual(isSame ? [] : ["config.a.b"]);
      }),
    );
  });

  it("differ where a number is infinite in one and missing in the other", () => {
    expect(configs({ max: Number.POSITIVE_INFINITY }, { max: null })).toEqual(["config.max"]);
  });

  it("differ where a section is empty in one and missing in the other", () => {
    expect(configs({ cleaner: {} }, {})).toEqual(["config.cleaner"]);
  });

  it("differ in the content of typed arrays", () => {
    expect(configs({ mean: Float32Array.of(1) }, { mean: Float32Array.of(2) })).toEqual(["config.mean"]);
  });

  it("do not differ in a batch_size inside a list", () => {
    expect(configs({ sets: [{ batch_size: 1 }] }, { sets: [{ batch_size: 2 }] })).toEqual([]);
  });
});

describe("a fingerprint", () => {
  it("shortens long values", () => {
    const { "config.text": text } = makeFingerprint({ ...base, config: { text: "x".repeat(10_000) } });
    expect(text!.length).toBeLessThan(120);
    expect(text).toMatch(/^"x{59}… \(10002 characters, sha256 [0-9a-f]{16}\)$/);
  });

  it("differs for long values that differ only at their end", () => {
    const long = "x".repeat(10_000);
    expect(configs({ text: `${long}a` }, { text: `${long}b` })).toEqual(["config.text"]);
  });

  it("takes functions, instances and big integers for what they are", () => {
    const params = { cleaner: new Cleaner(), onItem: function onItem() {}, limit: 5n, list: [new Cleaner()] };
    expect(makeFingerprint({ ...base, params })).toMatchObject({
      "params.cleaner": "[a Cleaner]",
      "params.onItem": "[the function onItem]",
      "params.limit": "[the bigint 5]",
      "params.list": "[[a Cleaner]]",
    });
  });

  it("takes no config and no params", () => {
    const fingerprint = makeFingerprint({ ...base, config: undefined, params: null });
    expect(Object.keys(fingerprint)).toEqual(["runner", "provider", "items"]);
  });
});
