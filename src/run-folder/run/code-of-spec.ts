import type { CodeClass, CodeSource } from "../../code/code-snapshot.ts";
import { targetsIn } from "../../code/targets-in.ts";
import type { RunSpec } from "./run-spec.ts";

/** Where the code of a run is found, according to its spec. `loaded`: its classes, if they are loaded. */
export function codeOfSpec(
  { runner, provider, config, params, project, cwd }: RunSpec,
  loaded: { readonly runner?: object; readonly provider?: object } = {},
): CodeSource {
  const classOf = ({ name, module }: RunSpec["runner"], made: object | undefined): CodeClass => ({
    name,
    module,
    text: made === undefined ? undefined : () => String(made),
  });
  return {
    classes: [classOf(runner, loaded.runner), classOf(provider, loaded.provider)],
    targets: targetsIn([config, params], project ?? cwd),
    cwd,
  };
}
