import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { openNotices } from "../../run-folder/run/notices.ts";
import type { RunSpec } from "../../run-folder/run/run-spec.ts";
import { expressionFor } from "../../secrets/origins.ts";
import { findClearSecrets } from "../../values/redact-secrets.ts";

/** Says which keys of a spec look like secrets and are written to the file as they are, because where their values come from is not known. */
export function warnClearSecrets(paths: RunPaths, spec: RunSpec, isKept: boolean): void {
  if (!isKept) return;
  const { config, params, ownOptions, parallel, providerState } = spec;
  const { options } = parallel as { readonly options?: unknown };
  const parts = { config, params, provider: providerState?.fields, options: ownOptions, "parallel.options": options };
  const isHidden = (holder: object, key: string | number, value: unknown) =>
    expressionFor(holder, key, value) !== undefined;
  const keys = Object.entries(parts).flatMap(([path, part]) => findClearSecrets(part, path, isHidden));
  if (keys.length === 0) return;
  const shown = keys.length > 5 ? `${keys.slice(0, 5).join(", ")} and ${keys.length - 5} more` : keys.join(", ");
  openNotices(paths).say(
    "clear-secrets",
    `${shown} ${keys.length === 1 ? "looks like a secret" : "look like secrets"} and can be read in ${paths.spec}, by its owner; write \${secret:NAME} in the config, or read process.env.NAME in buildEnvLocal`,
  );
}
