import type { CodeSource } from "../code/code-snapshot.ts";
import { projectIn } from "../config/project-of.ts";
import { captureProvider } from "../contract/provider-fields/capture-provider.ts";
import { type ClassStatics, identityOf } from "../contract/runner-traits.ts";
import type { Task } from "../contract/task.ts";
import type { IdentityParts } from "../run-folder/run/fingerprint.ts";
import type { ProviderState } from "../values/provider-state.ts";
import { codeOf } from "./code-of.ts";

/** The identity of a run. */
export interface RunIdentity {
  readonly parts: Omit<IdentityParts, "items">;
  /** The files and classes of its code; undefined if the runner has a `version`, or the run folder is temporary. */
  readonly code: CodeSource | undefined;
  readonly project: string | undefined;
  readonly providerState: ProviderState;
}

/** The fingerprint that is compared with that of the run in the folder. */
export function identifyRun({ runner, provider, classOptions, options: { outputDir } }: Task<unknown>): RunIdentity {
  const { config, params } = provider;
  const { state: providerState, identity: fields } = captureProvider(provider);
  const providerClass: ClassStatics = provider.constructor;
  const values = [config, params];
  const project = projectIn(values);
  return {
    parts: {
      runner: identityOf(runner),
      provider: identityOf(providerClass),
      config,
      params,
      fields,
      options: classOptions,
    },
    code: codeOf(runner, providerClass, { values, project, isKept: outputDir !== undefined }),
    project,
    providerState,
  };
}
