// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { checkParallel, type ParallelInput } from "../../../../src/config/parallel.ts";
import { runPaths } from "../../../../src/run-folder/files/run-paths.ts";
import { type RunSpec, readSpec, writeSpec } from "../../../../src/run-folder/run/run-spec.ts";
import { EnvironmentValue } from "../../../../src/secrets/origins.ts";
import { loadSpec } from "../../../../src/worker/join/load-spec.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const token = "spec-test-token-1";
beforeAll(() => {
  process.env["SPEC_TOKEN"] = token;
});
afterAll(() => {
  delete process.env["SPEC_TOKEN"];
});

const yaml = `
parallel:
  env: ssh
  options: { hosts: [a], ssh_arguments: ["-o", "SetEnv=X=\${oc.env:SPEC_TOKEN}"] }
config: { hub: { token: "\${oc.env:SPEC_TOKEN}" } }
`;

async function makeSpec(): Promise<{ paths: ReturnType<typeof runPaths>; spec: RunSpec }> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "c.yaml"), yaml);
  const { config, parallel } = await loadConfig<{ config: object; parallel: ParallelInput }>(join(folder, "c.yaml"));
  const paths = runPaths(folder);
  mkdirSync(dirname(paths.spec), { recursive: true });
  const reference = { module: undefined, name: "X" };
  const spec: RunSpec = {
    version: 3,
    runner: reference,
    provider: reference,
    config,
    params: {},
    options: {},
    runnerOptions: {},
    parallel: checkParallel(parallel),
    cwd: folder,
  };
  return { paths, spec };
}

describe("a spec with values of the environment", () => {
  it("holds expressions, in parallel options too, and gives a worker the values of its own environment", async () => {
    const { paths, spec } = await makeSpec();
    writeSpec(paths, spec);
    const text = readFileSync(paths.spec, "utf8");
    expect(text).not.toContain(token);
    expect(text).toContain("SetEnv=X=${oc.env:SPEC_TOKEN}");
    process.env["SPEC_TOKEN"] = "another-token-of-a-worker";
    const { config, parallel } = await loadSpec(paths);
    process.env["SPEC_TOKEN"] = token;
    expect(config).toEqual({ hub: { token: "another-token-of-a-worker" } });
    expect(parallel).toMatchObject({ options: { ssh_arguments: ["-o", "SetEnv=X=another-token-of-a-worker"] } });
  });

  it("is written with mode 0600 also over a file that all can read, and stays unresolved where it is only read", async () => {
    const { paths, spec } = await makeSpec();
    writeFileSync(paths.spec, "{}");
    chmodSync(paths.spec, 0o644);
    writeSpec(paths, spec);
    const read = readSpec(paths);
    expect((read.config as { hub: { token: unknown } }).hub.token).toBeInstanceOf(EnvironmentValue);
    writeSpec(paths, read);
    expect(readSpec(paths)).toEqual(read);
    expect(statSync(paths.spec).mode & 0o777).toBe(0o600);
  });

  it("has version 3, which earlier programs refuse, and 2 where it holds none", async () => {
    const { paths, spec } = await makeSpec();
    const version = () => (JSON.parse(readFileSync(paths.spec, "utf8")) as { version: number }).version;
    writeSpec(paths, spec);
    expect(version()).toBe(3);
    writeSpec(paths, { ...spec, config: { plain: 1 }, parallel: { env: "local", nWorkers: 1, options: {} } });
    expect(version()).toBe(2);
    writeFileSync(paths.spec, JSON.stringify({ ...spec, version: 4 }));
    expect(() => readSpec(paths)).toThrow("not a run's spec of this version");
  });
});
