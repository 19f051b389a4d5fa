import { describe, expect, it } from "vitest";
import { watchMissingKeys } from "../../../src/contract/watch-missing-keys.ts";

interface Env {
  readonly dataset: readonly string[];
  readonly model: { readonly size: number };
  readonly cleaner?: (text: string) => string;
}

const makeEnv = (): Env => ({ dataset: ["a"], model: { size: 3 } });

/** Reads a key the types do not know, as plain JavaScript does. */
const read = (env: object, key: string): unknown => (env as Record<string, unknown>)[key];

describe("a watched env", () => {
  it("leaves an optional key that is missing undefined", () => {
    const env = makeEnv();
    watchMissingKeys(env);
    const { cleaner } = env;
    expect(cleaner).toBeUndefined();
  });

  it("gives the keys that are there, and explains nothing", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    expect([env.dataset[0], env.model.size]).toEqual(["a", 3]);
    expect(missing.explain()).toBeUndefined();
  });

  it("can be spread, listed and asked for a key without a trace", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    expect({ ...env }).toEqual(makeEnv());
    expect(Object.keys(env)).toEqual(["dataset", "model"]);
    expect("cleaner" in env).toBe(false);
    expect(missing.explain()).toBeUndefined();
  });

  it("still has the methods of every object", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    expect(String(env)).toBe("[object Object]");
    expect(Object.hasOwn(env, "model")).toBe(true);
    expect(read(env, "hasOwnProperty")).toBeTypeOf("function");
    expect(missing.explain()).toBeUndefined();
  });

  it("explains a misspelt key by the nearest one", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    expect(read(env, "modle")).toBeUndefined();
    expect(missing.explain()).toBe(
      "forward read `modle` (did you mean `model`?), which the provider does not build; it builds dataset, model",
    );
  });

  it("explains a key by what it is short for, or the other way round", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    for (const key of ["mdl", "datasetList"]) read(env, key);
    expect(missing.explain()).toMatch(/`mdl` \(did you mean `model`\?\), `datasetList` \(did you mean `dataset`\?\)/);
  });

  it("names each missing key once, also those near none", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    for (const key of ["tokenizer", "datset", "tokenizer"]) read(env, key);
    expect(missing.explain()).toContain("forward read `tokenizer`, `datset` (did you mean `dataset`?), which");
  });

  it("belongs to its own env alone", () => {
    const [one, two] = [makeEnv(), makeEnv()];
    const [missingOfOne, missingOfTwo] = [watchMissingKeys(one), watchMissingKeys(two)];
    read(one, "modle");
    expect(missingOfOne.explain()).toContain("`modle`");
    expect(missingOfTwo.explain()).toBeUndefined();
  });

  class Lab {
    readonly model = 1;
    describe() {
      return `model ${this.model}`;
    }
  }

  it("keeps its own class, where it has one", () => {
    const env = new Lab();
    const missing = watchMissingKeys(env);
    expect(env).toBeInstanceOf(Lab);
    expect(env.describe()).toBe("model 1");
    expect(missing.explain()).toBeUndefined();
  });

  it("may be frozen", () => {
    const env = Object.freeze(makeEnv());
    expect(watchMissingKeys(env).explain()).toBeUndefined();
    expect(env.model.size).toBe(3);
  });

  it("can be watched a second time, by the next run in the process", () => {
    const env = makeEnv();
    watchMissingKeys(env);
    const missing = watchMissingKeys(env);
    read(env, "modle");
    expect(missing.explain()).toContain("`modle`");
  });

  it("does not take JSON.stringify for a read of a missing key", () => {
    const env = makeEnv();
    const missing = watchMissingKeys(env);
    JSON.stringify(env);
    expect(missing.explain()).toBeUndefined();
  });

  it("is still an Object", () => {
    const env = makeEnv();
    watchMissingKeys(env);
    expect(env).toBeInstanceOf(Object);
  });
});
