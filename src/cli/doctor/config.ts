import type { ParallelConfig } from "../../config/parallel.ts";
import { chooseLauncher } from "../../launchers/choose-launcher.ts";
import { messageOf } from "../../shared/errors.ts";
import { makeRunner, type RunConfig, readRunConfig } from "../run-config.ts";
import type { Finding } from "./finding.ts";

/** What was found of a config; where it could be read, also where its outputs go and what it wants to run on. */
interface ConfigCheck {
  readonly findings: Finding[];
  readonly outputDir?: string;
  /** Only where its options are right: others say nothing of what will be asked. */
  readonly parallel?: ParallelConfig;
}

/** Whether a config can be read and its classes be made; nothing is run. */
export async function checkConfig(path: string, overrides: readonly string[]): Promise<ConfigCheck> {
  const findings: Finding[] = [];
  let config: RunConfig;
  try {
    config = await readRunConfig(path, overrides);
  } catch (error) {
    return { findings: [wrong("config", error)] };
  }
  const { sections, parallel, outputDir } = config;
  findings.push({ state: "fine", what: "config", detail: `${path} can be read` });
  try {
    await makeRunner(config);
    const targets = `${sections.provider._target_} and ${sections.runner._target_}`;
    findings.push({ state: "fine", what: "classes", detail: `${targets} can be made` });
  } catch (error) {
    findings.push(wrong("classes", error));
  }
  try {
    (await chooseLauncher(parallel)).check(parallel);
    findings.push({ state: "fine", what: "parallel", detail: `${parallel.env}, ${parallel.nWorkers} workers` });
    return { findings, outputDir, parallel };
  } catch (error) {
    findings.push(wrong("parallel", error));
  }
  return { findings, outputDir };
}

function wrong(what: string, error: unknown): Finding {
  const { hint } = error as { hint?: unknown };
  const [detail] = messageOf(error).split("\n  -> ") as [string];
  return { state: "wrong", what, detail, ...(typeof hint === "string" ? { hint } : {}) };
}
