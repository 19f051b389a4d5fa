import { describe, expect, it } from "vitest";
import { buildLocalEnv } from "../../../src/contract/environment-provider.ts";
import { InferenceProvider } from "../../../src/contract/inference-provider.ts";

interface Env {
  readonly dataset: readonly string[];
  readonly model: { readonly size: number };
  readonly split: string;
}

interface Config {
  readonly size: number;
}

class PrepProvider extends InferenceProvider<Env, Config> {
  static buildDataset({ size }: Config): Env["dataset"] {
    return Array.from({ length: size }, (_, i) => `utt-${i}`);
  }

  static async buildModel({ size }: Config): Promise<Env["model"]> {
    return { size };
  }
}

class ModelLessProvider extends InferenceProvider<Env, Config> {
  static buildDataset(): string[] {
    return [];
  }
}

class DatasetLessProvider extends InferenceProvider<Env, Config> {
  static buildModel(): Env["model"] {
    return { size: 1 };
  }
}

describe("an inference provider", () => {
  it("builds dataset and model once for the program and its run", async () => {
    let builds = 0;
    class CountingProvider extends PrepProvider {
      static override buildDataset(config: Config): Env["dataset"] {
        builds++;
        return super.buildDataset(config);
      }
    }
    const provider = new CountingProvider({ size: 2 }, { split: "dev" });
    const env = await provider.buildEnvLocal();
    expect(await provider.buildEnvLocal()).toBe(env);
    expect(await buildLocalEnv(provider)).toBe(env);
    expect(builds).toBe(1);
    // That run has torn its env down.
    expect(await provider.buildEnvLocal()).not.toBe(env);
    expect(builds).toBe(2);
  });

  it("builds again after a build that failed", async () => {
    let isThere = false;
    class LateProvider extends PrepProvider {
      static override buildDataset(config: Config): Env["dataset"] {
        if (!isThere) throw new Error("not mounted yet");
        return super.buildDataset(config);
      }
    }
    const provider = new LateProvider({ size: 2 }, { split: "dev" });
    await expect(provider.buildEnvLocal()).rejects.toThrow("not mounted yet");
    isThere = true;
    expect((await provider.buildEnvLocal()).dataset).toHaveLength(2);
  });

  it("builds an env of dataset, model and params", async () => {
    const env = await buildLocalEnv(new PrepProvider({ size: 2 }, { split: "dev" }));
    expect(env).toEqual({ dataset: ["utt-0", "utt-1"], model: { size: 2 }, split: "dev" });
  });

  it("does not let params stand in for what it builds", async () => {
    const params = { split: "dev", model: "from params" };
    expect((await buildLocalEnv(new PrepProvider({ size: 1 }, params))).model).toEqual({ size: 1 });
  });

  it.each([
    ["buildModel", ModelLessProvider],
    ["buildDataset", DatasetLessProvider],
  ])("without %s says which class lacks it", async (method, Provider) => {
    await expect(buildLocalEnv(new Provider({ size: 1 }, { split: "dev" }))).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringContaining(`${Provider.name} has no static ${method}(config)`),
      hint: expect.stringContaining("Add it"),
    });
  });

  it("names the builder's error", async () => {
    class FailingProvider extends PrepProvider {
      static override async buildModel(): Promise<never> {
        throw new Error("no such checkpoint");
      }
    }
    const building = buildLocalEnv(new FailingProvider({ size: 1 }, { split: "dev" }));
    await expect(building).rejects.toThrow("FailingProvider could not build the env: no such checkpoint");
  });
});
