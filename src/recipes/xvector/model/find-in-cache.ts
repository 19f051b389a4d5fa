import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type HubFile, type HubSettings, repoFolder } from "./hub.ts";

/** A file of the hub that lies in the cache, by us or by any other tool; undefined where it is not there. */
export function findInCache({ repo, revision, file }: HubFile, settings: HubSettings): string | undefined {
  const folder = repoFolder(settings, repo);
  const commit = readIfThere(join(folder, "refs", ...revision.split("/")))?.trim() ?? revision;
  const snapshot = join(folder, "snapshots", commit);
  const name = file ?? onlyOnnx(snapshot);
  const path = name === undefined ? undefined : join(snapshot, ...name.split("/"));
  return path !== undefined && existsSync(path) ? path : undefined;
}

function onlyOnnx(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".onnx"));
  return names.length === 1 ? names[0]!.replaceAll("\\", "/") : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
