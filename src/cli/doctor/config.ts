import type { ParallelConfig } from "../../config/parallel.ts";
import { messageOf } from "../../errors/errors.ts";
import { chooseLauncher } from "../../launchers/choose-launcher.ts";
import { shellWord } from "../../text/shell-word.ts";
import { locateTargets, type RunConfig, readRunConfig } from "../run-config.ts";
import type { Finding } from "./finding.ts";

/** The findings about a config, and if it is readable, its output folder and launcher. */
interface ConfigCheck {
  readonly findings: Finding[];
  readonly outputDir?: string;
  /** Absent if its options are invalid: then it is not known what to ask. */
  readonly parallel?: ParallelConfig;
}

/** Checks that a config can be read and its targets exist, without running their code. */
export async function checkConfig(path: string, overrides: readonly string[]): Promise<ConfigCheck> {
  const findings: Finding[] = [];
  let config: RunConfig;
  try {
    config = await readRunConfig(path, overrides, { trust: "none" });
  } catch (error) {
    return { findings: [wrong("config", error)] };
  }
  const { parallel, outputDir } = config;
  findings.push({ state: "fine", what: "config", detail: `${path} can be read` });
  try {
    const modules = locateTargets(config).join(", ");
    const detail = `the modules of ${modules} exist; \`millrace plan ${shellWord(path)} --count\` imports them`;
    findings.push({ state: "fine", what: "classes", detail });
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
