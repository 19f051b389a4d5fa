import { homedir } from "node:os";
import { join } from "node:path";

/** The settings of the hub, read from the environment like its own tools do. */
export interface HubSettings {
  readonly endpoint: string;
  readonly cache: string;
  readonly isOffline: boolean;
  readonly token: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads `HF_ENDPOINT`, `HF_HOME`, `HF_HUB_CACHE`, `HF_HUB_OFFLINE` and `HF_TOKEN`. */
export function hubSettings(variables: Variables = process.env): HubSettings {
  const given = (name: string) => (variables[name] === "" ? undefined : variables[name]);
  const cacheHome = given("XDG_CACHE_HOME") ?? join(homedir(), ".cache");
  const home = given("HF_HOME") ?? join(cacheHome, "huggingface");
  return {
    endpoint: (given("HF_ENDPOINT") ?? "https://huggingface.co").replace(/\/+$/, ""),
    cache: given("HF_HUB_CACHE") ?? join(home, "hub"),
    isOffline: ["1", "true", "yes", "on"].includes((given("HF_HUB_OFFLINE") ?? "").toLowerCase()),
    token: given("HF_TOKEN"),
  };
}
