import { describe, expect, it } from "vitest";
import {
  buildLocalEnv,
  buildWorkerEnv,
  EnvironmentProvider,
  type WorkerSetup,
} from "../../../src/contract/environment-provider.ts";

interface Env {
  readonly power: number;
}

/** A provider whose behaviour is given. */
class TestProvider extends EnvironmentProvider<Env> {
  local: () => unknown = () => ({ power: 2 });
  setup: unknown = undefined;

  buildEnvLocal(): Env {
    return this.local() as Env;
  }

  override buildWorkerSetupFn(): WorkerSetup<Env> {
    return this.setup === undefined ? super.buildWorkerSetupFn() : (this.setup as WorkerSetup<Env>);
  }
}

function providerWith(parts: Partial<Pick<TestProvider, "local" | "setup">>): TestProvider {
  return Object.assign(new TestProvider({}), parts);
}

describe("buildWorkerEnv", () => {
  it("builds the local env by default", async () => {
    expect(await buildWorkerEnv(providerWith({}))).toEqual({ power: 2 });
  });

  it("calls the function that buildWorkerSetupFn returns", async () => {
    expect(await buildWorkerEnv(providerWith({ setup: () => ({ power: 3 }) }))).toEqual({ power: 3 });
  });

  it("waits for a function that answers later", async () => {
    const setup = async () => {
      await Promise.resolve();
      return { power: 4 };
    };
    expect(await buildWorkerEnv(providerWith({ setup }))).toEqual({ power: 4 });
  });

  it.each<[string, unknown]>([
    ["an object", { power: 3 }],
    ["a promise", Promise.resolve(() => ({ power: 3 }))],
    ["null", null],
  ])("refuses %s instead of a function, and shows how it is meant", async (_name, setup) => {
    await expect(buildWorkerEnv(providerWith({ setup }))).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringMatching(/^TestProvider.buildWorkerSetupFn returned /),
      hint: expect.stringContaining("Return a function that builds the env"),
    });
  });

  it("says that the env could not be built, and why", async () => {
    const setup = () => {
      throw new Error("no such model");
    };
    await expect(buildWorkerEnv(providerWith({ setup }))).rejects.toMatchObject({
      code: "ENV_FAILED",
      message: expect.stringContaining("TestProvider could not build the env: no such model"),
      cause: expect.objectContaining({ message: "no such model" }),
    });
  });

  it("says so, too, where buildWorkerSetupFn itself fails", async () => {
    class FailingProvider extends TestProvider {
      override buildWorkerSetupFn(): never {
        throw new Error("no such model");
      }
    }
    await expect(buildWorkerEnv(new FailingProvider({}))).rejects.toMatchObject({ code: "ENV_FAILED" });
  });
});

describe("buildLocalEnv", () => {
  it("waits for an env that comes later", async () => {
    expect(await buildLocalEnv(providerWith({ local: async () => ({ power: 5 }) }))).toEqual({ power: 5 });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["an array", [1], "an array of 1"],
    ["a function", () => 1, "a function"],
  ])("refuses %s as the env", async (_name, env, kind) => {
    await expect(buildLocalEnv(providerWith({ local: () => env }))).rejects.toMatchObject({
      code: "BAD_PROVIDER",
      message: expect.stringContaining(`TestProvider.buildEnvLocal gave ${kind} as the env`),
    });
  });
});

describe("a provider", () => {
  it("has empty params where none are given", () => {
    expect(new TestProvider({ a: 1 })).toMatchObject({ config: { a: 1 }, params: {} });
  });
});
