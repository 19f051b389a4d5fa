import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parallelEnvs } from "../../../../src/config/parallel-envs.ts";
import {
  driverMoments,
  limits,
  parseSettings,
  type Settings,
  settingsText,
  usualSettings,
  workerMoments,
} from "../../../../web/guide/story/settings.ts";

const between = ([min, max]: readonly [number, number]) => fc.integer({ min, max });
const settings: fc.Arbitrary<Settings> = fc.record({
  env: fc.constantFrom(...parallelEnvs),
  workers: between(limits.workers),
  items: between(limits.items),
  shards: between(limits.shards),
  batch: between(limits.batch),
  onError: fc.constantFrom("fail", "skip"),
  killWorker: fc.constantFrom("no", ...workerMoments),
  killDriver: fc.constantFrom("no", ...driverMoments),
  badItem: fc.constantFrom(-1, 0),
  pause: fc.boolean(),
});

describe("settings in an address", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(settings, (given) => {
        expect(parseSettings(settingsText(given))).toEqual(given);
      }),
    );
  });

  it("are empty if everything is as usual", () => {
    expect(settingsText(usualSettings)).toBe("");
  });

  it("are as usual where the address holds anything else", () => {
    expect(parseSettings("env=mars&workers=1e9&items=-1&shards=x&badItem=99&pause=1&killWorker=__proto__")).toEqual(
      usualSettings,
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { workers, items } = parseSettings(text);
        expect(workers * items).toBeGreaterThan(0);
      }),
    );
  });
});
