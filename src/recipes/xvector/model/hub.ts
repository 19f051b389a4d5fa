import { join } from "node:path";
import type { HubSettings } from "../../../hub/hub-settings.ts";

/** A file of a model on the Hugging Face hub. */
export interface HubFile {
  readonly repo: string;
  readonly revision: string;
  /** Inside the repository; undefined for the files that its model needs. */
  readonly file: string | undefined;
}

/** The folder of a repository in the cache that all tools of the hub share. */
export function repoFolder({ cache }: HubSettings, repo: string): string {
  return join(cache, `models--${repo.replaceAll("/", "--")}`);
}
