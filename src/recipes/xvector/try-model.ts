import { MillraceError } from "../../index.ts";
import type { ManifestProblem } from "./check-manifest.ts";
import type { XVectorSection } from "./xvector-config.ts";
import { type XVectorParams, XVectorProvider } from "./xvector-provider.ts";
import { XVectorRunner } from "./xvector-runner.ts";

/** The result of trying the model of a config. */
export interface ModelTrial {
  /** The device that it was opened on; undefined if it was not. */
  readonly device: string | undefined;
  /** The length of its vectors; undefined if no utterance was embedded. */
  readonly dimension: number | undefined;
  /** Why it cannot be used. */
  readonly problem: string | undefined;
  /** Utterances that it could not be tried with. */
  readonly bad: readonly ManifestProblem[];
}

// As many utterances without a vector in a row are reason enough to stop trying.
const maxTries = 20;

/** Opens the model on its device, as a worker does, and embeds the first of the utterances that can be embedded. */
export async function tryModel(
  section: XVectorSection,
  params: XVectorParams,
  candidates: readonly number[],
): Promise<ModelTrial> {
  const provider = new XVectorProvider({ xvector: section }, params);
  const bad: ManifestProblem[] = [];
  let device: string | undefined;
  try {
    const env = await provider.buildEnvLocal();
    ({ device } = env);
    try {
      for (const idx of candidates.slice(0, maxTries)) {
        try {
          const { vector } = await XVectorRunner.embedOne(idx, env);
          return { device, dimension: vector.length, problem: undefined, bad };
        } catch (error) {
          if (!(error instanceof MillraceError) || error.code !== "BAD_AUDIO") throw error;
          bad.push({ line: env.utterances.lineOf(idx), message: describe(error.cause) });
        }
      }
      return { device, dimension: undefined, problem: undefined, bad };
    } finally {
      await provider.teardown(env);
    }
  } catch (error) {
    return { device, dimension: undefined, problem: describe(error), bad };
  }
}

/** An error in one line, with what to do. */
export function describe(error: unknown): string {
  if (!(error instanceof MillraceError)) return error instanceof Error ? error.message : String(error);
  return error.hint === undefined ? error.reason : `${error.reason.replace(/\.$/, "")}; ${error.hint}`;
}
