import { describe, expect, it } from "vitest";
import { camelCased, runShape, runShapeWith } from "../../../src/cli/run-shape.ts";
import { checkShape } from "../../../src/config/check-shape.ts";
import { shape } from "../../../src/config/shape.ts";

const least = { provider: { _target_: "./a.js#A" }, runner: { _target_: "./a.js#B", output_dir: "exp" } };

const withRunner = (options: object) => ({ ...least, runner: { ...least.runner, ...options } });

describe("the shape of a run's config", () => {
  it.each([
    ["the least there must be", least],
    ["keys of the provider's own", { ...least, dataset: { path: "x" }, model: null }],
    ["options that are left out with null", withRunner({ batch_size: null, shards: null, max_rss: null })],
    ["batches by cost", withRunner({ batch_by: { cost: "padded", max: 60 } })],
    ["a number of items", { ...least, items: 0 }],
    ["a list of items", { ...least, items: [3, 1] }],
    ["a range of items", { ...least, items: { start: 9, stop: 0, step: -1 } }],
    ["items from a function", { ...least, items: { _target_: "./a.js#items", more: 1 } }],
    ["no items and no parallel", { ...least, items: null, parallel: null }],
    ["params beside others", { ...least, provider: { _target_: "./a.js#A", split: "x", params: { y: 1 } } }],
  ])("takes %s", (_what, config) => {
    expect(checkShape(config, runShape)).toBe(config);
  });

  it.each([
    ["runner is missing; a section was expected", { provider: least.provider }],
    ["runner.output_dir is missing; a path was expected", { ...least, runner: { _target_: "./a.js#B" } }],
    ['runner.on_error is "ignore"; one of fail, skip was expected', withRunner({ on_error: "ignore" })],
    ['runner.non_finite is "zero"; one of refuse, null was expected', withRunner({ non_finite: "zero" })],
    ["runner.batch_size is 0; a whole number from 1 was expected", withRunner({ batch_size: 0 })],
    ["runner.batch_by.max is missing", withRunner({ batch_by: { cost: "sum" } })],
    ['runner.shard_subdir is "/tmp"; a relative path', withRunner({ shard_subdir: "/tmp" })],
    ['runner.shard_subdir is "a/../../b"; a relative path', withRunner({ shard_subdir: "a/../../b" })],
    ['runner.output_dir is "a\\u0000b"; a path was expected', withRunner({ output_dir: "a\0b" })],
    ["items is 1.5; a whole number from 0, a list of them", { ...least, items: 1.5 }],
    ["items[1] is -1", { ...least, items: [1, -1] }],
    ["parallel.n_worker is not known", { ...least, parallel: { n_worker: 2 } }],
    ["provider._partial_ has no meaning here", { ...least, provider: { _target_: "./a.js#A", _partial_: true } }],
  ])("refuses: %s", (message, config) => {
    expect(() => checkShape(config, runShape)).toThrow(message);
  });
});

describe("the shape of a runner with options of its own", () => {
  const own = { inputKey: { shape: shape.string() }, beam: { shape: shape.int({ min: 1 }), default: 4 } };

  it("takes them by their names in snake_case", () => {
    const config = withRunner({ input_key: "speech", beam: 2, batch_size: 3 });
    expect(checkShape(config, runShapeWith(own))).toBe(config);
    expect(camelCased({ input_key: "speech", beam: 2 }, own)).toEqual({ inputKey: "speech", beam: 2 });
  });

  it("takes null where there is a default", () => {
    const config = withRunner({ input_key: "speech", beam: null });
    expect(checkShape(config, runShapeWith(own))).toBe(config);
    expect(camelCased({ beam: null }, own)).toEqual({});
  });

  it.each([
    ["runner.input_key is missing; a text was expected", {}],
    ["runner.beam is 0; a whole number from 1 was expected", { input_key: "x", beam: 0 }],
    ["runner.inputkey is not known", { input_key: "x", inputkey: "y" }],
    ["runner.outputDir is not known", { input_key: "x", outputDir: "exp" }],
  ])("refuses: %s", (message, options) => {
    expect(() => checkShape(withRunner(options), runShapeWith(own))).toThrow(message);
  });

  it("is that of every runner where there are none", () => {
    expect(() => checkShape(withRunner({ input_key: "x" }), runShapeWith({}))).toThrow("runner.input_key is not known");
  });
});
