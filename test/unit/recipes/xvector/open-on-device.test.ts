import { afterEach, describe, expect, it, vi } from "vitest";
import { openOnDevice } from "../../../../src/recipes/xvector/open-on-device.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Opens on the devices that work; says which were tried. */
function opener(...working: string[]) {
  const tried: string[] = [];
  const open = (device: string): Promise<string> => {
    tried.push(device);
    return working.includes(device) ? Promise.resolve(`on ${device}`) : Promise.reject(new Error(`no ${device}.`));
  };
  return { tried, open };
}

describe("the device of a model", () => {
  it.each(["cpu", "cuda:1"])("is the one that is named: %s", async (device) => {
    const { tried, open } = opener(device);
    expect(await openOnDevice(device, open, () => true)).toEqual({ device, model: `on ${device}` });
    expect(tried).toEqual([device]);
  });

  it("is the GPU where there is one, and none is named", async () => {
    const { open } = opener("cpu", "cuda:0");
    for (const device of [null, undefined])
      expect(await openOnDevice(device, open, () => true)).toMatchObject({ device: "cuda:0" });
  });

  it("is the CPU where there is no GPU", async () => {
    const { tried, open } = opener("cpu", "cuda:0");
    expect(await openOnDevice(null, open, () => false)).toMatchObject({ device: "cpu" });
    expect(tried).toEqual(["cpu"]);
  });

  it("is the CPU where a mask hides the GPUs", async () => {
    vi.stubEnv("CUDA_VISIBLE_DEVICES", "");
    const { tried, open } = opener("cpu");
    expect(await openOnDevice(null, open)).toMatchObject({ device: "cpu" });
    expect(tried).toEqual(["cpu"]);
  });

  it("is the CPU, and that is said, where the GPU cannot be used", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(await openOnDevice(null, opener("cpu").open, () => true)).toMatchObject({ device: "cpu" });
    expect(said.mock.calls).toEqual([[expect.stringContaining("the model runs on the CPU: no cuda:0.")]]);
  });

  it("is none where the model cannot be opened at all, and nothing else is said", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await expect(openOnDevice(null, opener().open, () => true)).rejects.toThrow("no cpu.");
    expect(said).not.toHaveBeenCalled();
  });
});
