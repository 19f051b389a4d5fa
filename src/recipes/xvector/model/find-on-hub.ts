import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isPathWithin } from "../../../hub/hub-names.ts";
import { type HubSettings, hubSettings } from "../../../hub/hub-settings.ts";
import { MillraceError } from "../../../index.ts";
import type { XVectorSection } from "../xvector-config.ts";
import { cachedSnapshot } from "./cached-snapshot.ts";
import { checkHubFile } from "./check-hub-file.ts";
import { fetchFromHub } from "./fetch-from-hub.ts";
import type { ModelFiles } from "./found-model.ts";
import type { HubFile } from "./hub.ts";
import { explainHubFailure } from "./hub-errors.ts";
import { listHubFiles } from "./list-hub-files.ts";
import { chooseModelFiles } from "./model-files.ts";

/** Finds a model in the hub's cache, or fetches exactly the files that it needs. */
export async function findOnHub(repo: string, { model_file, revision, sha256 }: XVectorSection): Promise<ModelFiles> {
  const settings = hubSettings();
  const file = checkHubFile({ repo, revision: revision ?? "main", file: model_file ?? undefined });
  const cached = await findInCache(file, settings);
  if (cached !== undefined) return cached;
  if (settings.isOffline) throw explainHubFailure({ file, settings, why: "HF_HUB_OFFLINE is set" });
  const names = file.file === undefined ? await listHubFiles(file, settings) : [file.file];
  // All files of one commit: the repository may change in between.
  let commit: string | undefined;
  const get = async (name: string) => {
    const wanted = checkHubFile({ repo, revision: commit ?? file.revision, file: name });
    const isModel = !/\.ya?ml$/.test(name);
    const fetched = await fetchFromHub(
      { ...wanted, file: wanted.file! },
      { settings, sha256: isModel ? (sha256 ?? undefined) : undefined },
    );
    commit ??= fetched.commit;
    return fetched.path;
  };
  return isOtherFile(file) ? { onnx: await get(file.file) } : chooseModelFiles(repo, names, get);
}

/** A file that the config names, and that is no checkpoint: ONNX under any name. */
function isOtherFile(file: HubFile): file is HubFile & { readonly file: string } {
  return file.file !== undefined && !/\.pth?$/.test(file.file);
}

/** A file that the cache does not have. */
class NotCached extends Error {}

/** The model in the cache, put there by this or any other tool; undefined if not all of its files are there. */
async function findInCache(file: HubFile, settings: HubSettings): Promise<ModelFiles | undefined> {
  const snapshot = cachedSnapshot(file, settings);
  if (!existsSync(snapshot)) return undefined;
  const all = readdirSync(snapshot, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  const names = file.file === undefined ? all : all.filter((name) => name === file.file);
  const get = async (name: string) => {
    const path = join(snapshot, ...name.split("/"));
    if (!isPathWithin(name) || !existsSync(path)) throw new NotCached();
    return path;
  };
  try {
    return isOtherFile(file)
      ? { onnx: await get(file.file) }
      : await chooseModelFiles(`The cache of ${file.repo}`, names, get);
  } catch (error) {
    // Several ONNX files may be cached of which the repository has one under this name: the hub decides.
    if (error instanceof NotCached || (error instanceof MillraceError && error.code === "BAD_MODEL")) return undefined;
    throw error;
  }
}
