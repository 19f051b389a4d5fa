// With a fake nvidia-smi, a script that prints what the real one would.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findGpus } from "../../../../src/launchers/local/find-gpus.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** An environment whose nvidia-smi is this script. */
function withNvidiaSmi(...lines: string[]): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "nvidia-smi"), ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(join(folder, "nvidia-smi"), 0o755);
  return { PATH: folder };
}

const withMask = (mask: string) => () => findGpus({ ...withNvidiaSmi("echo 0", "echo 1"), CUDA_VISIBLE_DEVICES: mask });

describe("findGpus", () => {
  it("asks nvidia-smi", () => {
    expect(
      findGpus(withNvidiaSmi('test "$*" = "--query-gpu=index --format=csv,noheader" || exit 9', "echo 0", "echo 10")),
    ).toEqual(["0", "10"]);
  });

  it("leaves out what is no device", () => {
    expect(findGpus(withNvidiaSmi('echo "  2  "', 'echo "Unable to determine the device handle"', "echo"))).toEqual([
      "2",
    ]);
  });

  it.each([
    ["0", ["0"]],
    ["3,1", ["3", "1"]],
    [" 2 , 0 ", ["2", "0"]],
    ["GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,1", ["GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", "1"]],
    ["MIG-GPU-8932f937/1/2", ["MIG-GPU-8932f937/1/2"]],
    ["0,-1,1", ["0"]],
    ["0,,1", ["0"]],
  ])("takes a mask as CUDA does: %j", (mask, devices) => {
    expect(withMask(mask)()).toEqual(devices);
  });

  it.each(["", " ", "-1", "NoDevFiles", ",0"])("finds nothing behind a mask that hides all: %j", (mask) => {
    expect(withMask(mask)).toThrow(`CUDA_VISIBLE_DEVICES=${JSON.stringify(mask)} hides all devices`);
  });

  it.each<[string, () => NodeJS.ProcessEnv, string]>([
    ["there is no nvidia-smi", () => ({ PATH: temporaryFolder() }), "could not be asked"],
    ["nvidia-smi fails", () => withNvidiaSmi("echo 0", "exit 9"), "could not be asked"],
    ["nvidia-smi finds nothing", () => withNvidiaSmi('echo "No devices were found"'), "lists no device"],
  ])("says so, and what to do, where %s", (_name, environment, why) => {
    const find = () => findGpus(environment());
    expect(find).toThrow(expect.objectContaining({ code: "NO_GPU", message: expect.stringContaining(why) }));
    expect(find).toThrow(/Use env: process for work on the CPU/);
  });
});
