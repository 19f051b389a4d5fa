import { join } from "node:path";
import { MillraceError } from "../../../index.ts";
import { type HubFile, type HubSettings, repoFolder } from "./hub.ts";

/** Says why a model of the hub is not to be had, and which file may be placed where to do without the network. */
export function explainHubFailure(about: {
  readonly file: HubFile;
  readonly settings: HubSettings;
  readonly why: string;
  readonly cause?: unknown;
}): MillraceError {
  const { repo, revision, file = "model.onnx" } = about.file;
  const { endpoint } = about.settings;
  const place = join(repoFolder(about.settings, repo), "snapshots", revision, file);
  return new MillraceError("BAD_MODEL", `The model ${repo} is not in the cache and cannot be fetched: ${about.why}.`, {
    cause: about.cause,
    hint:
      `Without a network, fetch ${endpoint}/${repo}/resolve/${revision}/${file} elsewhere and place it at ${place}, ` +
      "or name the file itself in xvector.pretrained_model. toolkit: builtin needs no model.",
  });
}
