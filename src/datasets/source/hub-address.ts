import { MillraceError } from "../../errors/errors.ts";
import { isHubName, isPathWithin, revisionPattern } from "../../hub/hub-names.ts";
import { type HubSettings, hubSettings } from "../../hub/hub-settings.ts";

/** A place in a dataset of the hub. */
export interface HubAddress {
  /** Owner and name. */
  readonly repo: string;
  readonly revision: string;
  /** Within the repository; empty for all of it. */
  readonly path: string;
}

// A revision has slashes only where the hub itself makes it: `refs/convert/parquet`, `refs/pr/1`.
const form = /^hf:\/\/datasets\/([^/@]+\/[^/@]+)(?:@(refs\/(?:convert|pr)\/[^/]+|[^/]+))?(?:\/(.*))?$/s;

/** Reads `hf://datasets/owner/name[@revision][/path]`. */
export function hubAddress(address: string): HubAddress {
  const [, repo = "", revision = "main", rest = ""] = form.exec(address) ?? [];
  const place = { repo, revision: decodeRevision(revision), path: rest.replace(/\/$/, "") };
  const isRight = isHubName(repo) && revisionPattern.test(place.revision) && (rest === "" || isPathWithin(place.path));
  if (isRight) return place;
  throw new MillraceError("BAD_OPTION", `${JSON.stringify(address)} is no address of a dataset on the hub.`, {
    hint: "Write it as hf://datasets/owner/name[@revision][/path].",
  });
}

/** Hugging Face's own tools write the slash of a revision as `%2F`. */
function decodeRevision(revision: string): string {
  return revision.replace(/%2f/gi, "/");
}

/** The settings of the hub, where it may be asked. */
export function onlineHub(address: string, variables: NodeJS.ProcessEnv = process.env): HubSettings {
  const settings = hubSettings(variables);
  if (!settings.isOffline) return settings;
  throw new MillraceError("BAD_OPTION", `${address} is on the hub, which may not be asked: HF_HUB_OFFLINE is set.`, {
    hint: "Unset HF_HUB_OFFLINE, or download the dataset and open its folder.",
  });
}

/** What every request to the hub carries. */
export function hubHeaders({ token }: HubSettings): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** A path as it is part of a URL. */
export function escapePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
