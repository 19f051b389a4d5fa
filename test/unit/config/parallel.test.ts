import { afterEach, describe, expect, it } from "vitest";
import { getParallelConfig, type ParallelInput, setParallel } from "../../../src/config/parallel.ts";
import { parallelEnvs } from "../../../src/config/parallel-envs.ts";

afterEach(() => setParallel({ env: "local" }));

/** A value from a config that was not checked. */
const unchecked = (section: unknown) => section as ParallelInput;

describe("setParallel", () => {
  it("is one process unless it was called", () => {
    expect(getParallelConfig()).toEqual({ env: "local", nWorkers: 1, options: {} });
  });

  it("takes ESPnet3's allow_overwrite_lock, which changes nothing", () => {
    setParallel({ env: "process", n_workers: 4, allow_overwrite_lock: true });
    expect(getParallelConfig()).toEqual({ env: "process", nWorkers: 4, options: {} });
  });

  it.each(["n_workers", "nWorkers"])("takes %s", (key) => {
    setParallel({ env: "process", [key]: 4 });
    expect(getParallelConfig()).toEqual({ env: "process", nWorkers: 4, options: {} });
  });

  it.each([undefined, null])("keeps the setting with %s, the section of a config that has none", (absent) => {
    setParallel({ env: "slurm", n_workers: 8 });
    setParallel(absent);
    expect(getParallelConfig()).toEqual({ env: "slurm", nWorkers: 8, options: {} });
  });

  it("takes several local workers for processes, and one for this process", () => {
    setParallel({ env: "local", n_workers: 3 });
    expect(getParallelConfig()).toEqual({ env: "process", nWorkers: 3, options: {} });
    setParallel({ env: "local", n_workers: 1 });
    expect(getParallelConfig()).toEqual({ env: "local", nWorkers: 1, options: {} });
  });

  it.each(parallelEnvs)("takes the env %s", (env) => {
    setParallel({ env });
    expect(getParallelConfig().env).toBe(env);
  });

  it("keeps a copy that cannot be changed", () => {
    const options = { queue: "a" };
    setParallel({ env: "slurm", options });
    options.queue = "b";
    expect(getParallelConfig().options).toEqual({ queue: "a" });
    expect([getParallelConfig(), getParallelConfig().options].every(Object.isFrozen)).toBe(true);
  });

  it("lists the valid envs, and the nearest, for one that is unknown", () => {
    expect(() => setParallel(unchecked({ env: "slrum" }))).toThrow('parallel.env: "slrum" is not known.');
    expect(() => setParallel(unchecked({ env: "slrum" }))).toThrow(
      `Did you mean slurm? Valid: ${parallelEnvs.join(", ")}.`,
    );
  });

  it("lists the valid envs alone where none is near", () => {
    expect(() => setParallel(unchecked({ env: "dask" }))).toThrow(/is not known\.\n {2}-> Valid: local, process/);
  });

  it("lists the valid keys, and the nearest, for one that is unknown", () => {
    const message = /parallel: "n_worker" is not known\.\n.*Did you mean n_workers\? Valid: env, n_workers, options\./;
    expect(() => setParallel(unchecked({ env: "local", n_worker: 2 }))).toThrow(message);
  });

  it("proposes only a key that it lists as valid", () => {
    expect(() => setParallel(unchecked({ nworkers: 2 }))).toThrow(/Did you mean n_workers\?/);
  });

  it.each<[string, unknown, RegExp]>([
    ["a name instead of a section", "slurm", /parallel is "slurm"; a section was expected/],
    ["a list", [], /parallel is an array of 0/],
    ["no workers", { n_workers: 0 }, /n_workers is 0; a whole number from 1/],
    ["half a worker", { n_workers: 1.5 }, /n_workers is 1.5/],
    ["workers as text", { n_workers: "4" }, /n_workers is "4"/],
    ["options as a list", { options: ["queue"] }, /parallel.options is an array of 1/],
  ])("refuses %s", (_name, section, message) => {
    expect(() => setParallel(unchecked(section))).toThrow(message);
  });

  it("keeps the old setting when it refuses a new one", () => {
    setParallel({ env: "process", n_workers: 2 });
    expect(() => setParallel(unchecked({ env: "none" }))).toThrow();
    expect(getParallelConfig()).toMatchObject({ env: "process", nWorkers: 2 });
  });
});
