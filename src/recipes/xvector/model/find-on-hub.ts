import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isHubName, isPathWithin, revisionPattern } from "../../../hub/hub-names.ts";
import { type HubSettings, hubSettings } from "../../../hub/hub-settings.ts";
import { MillraceError } from "../../../index.ts";
import { statisticsFile } from "../../../speech.ts";
import { isNormalisedByToolkit, type XVectorSection } from "../xvector-config.ts";
import { fetchFromHub } from "./fetch-from-hub.ts";
import type { ModelFiles } from "./found-model.ts";
import { type HubFile, repoFolder } from "./hub.ts";
import { explainHubFailure } from "./hub-errors.ts";
import { listHubFiles } from "./list-hub-files.ts";
import { chooseModelFiles } from "./model-files.ts";

/** Finds a model in the hub's cache, or fetches exactly the files that it needs. */
export async function findOnHub(repo: string, section: XVectorSection): Promise<ModelFiles> {
  const { model_file, revision, sha256 } = section;
  const isNormalised = isNormalisedByToolkit(section);
  const settings = hubSettings();
  const file = checkHubFile({ repo, revision: revision ?? "main", file: model_file ?? undefined });
  const cached = await findInCache(file, settings, isNormalised);
  if (cached !== undefined) return cached;
  if (settings.isOffline) throw explainHubFailure({ file, settings, why: "HF_HUB_OFFLINE is set" });
  const names = file.file === undefined ? await listHubFiles(file, settings) : [file.file];
  // All files of one commit: the repository may change in between.
  let commit: string | undefined;
  const get = async (name: string) => {
    const wanted = checkHubFile({ repo, revision: commit ?? file.revision, file: name });
    const isModel = !/\.ya?ml$/.test(name) && name !== statisticsFile;
    const fetched = await fetchFromHub(
      { ...wanted, file: wanted.file! },
      { settings, sha256: isModel ? (sha256 ?? undefined) : undefined },
    );
    commit ??= fetched.commit;
    return fetched.path;
  };
  return isOtherFile(file) ? { onnx: await get(file.file) } : chooseModelFiles(repo, names, { get, isNormalised });
}

/** A file that the config names, and that is no checkpoint: ONNX under any name. */
function isOtherFile(file: HubFile): file is HubFile & { readonly file: string } {
  return file.file !== undefined && !/\.pth?$/.test(file.file);
}

/** A file that the cache does not have. */
class NotCached extends Error {}

/** The model in the cache, put there by this or any other tool; undefined if not all of its files are there. */
async function findInCache(
  file: HubFile,
  settings: HubSettings,
  isNormalised: boolean,
): Promise<ModelFiles | undefined> {
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
      : await chooseModelFiles(`The cache of ${file.repo}`, names, { get, isNormalised });
  } catch (error) {
    // Several ONNX files may be cached of which the repository has one under this name: the hub decides.
    if (error instanceof NotCached || (error instanceof MillraceError && error.code === "BAD_MODEL")) return undefined;
    throw error;
  }
}

/** The folder of a revision's files in the hub's cache, where they may have been put by any of its tools. */
function cachedSnapshot({ repo, revision }: HubFile, settings: HubSettings): string {
  const folder = repoFolder(settings, repo);
  const noted = readIfThere(join(folder, "refs", ...revision.split("/")))?.trim();
  // Anything but a commit could be a path to another place.
  const commit = noted !== undefined && /^[\w-]+$/.test(noted) ? noted : revision;
  return join(folder, "snapshots", commit);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Checks the names in a config, because they become URLs of the hub and file names in the cache. */
function checkHubFile({ repo, revision, file }: HubFile): HubFile {
  if (!isHubName(repo)) throw refuse("pretrained_model", repo, "owner/name");
  if (!revisionPattern.test(revision)) throw refuse("revision", revision, "a branch, a tag or a commit");
  const plain = file?.replace(/^(?:\.\/+)+/, "");
  if (plain !== undefined && !isPathWithin(plain)) throw refuse("model_file", file, "a path inside the repository");
  return { repo, revision, file: plain };
}

function refuse(key: string, value: unknown, expected: string): MillraceError {
  return new MillraceError("BAD_MODEL", `xvector.${key} is ${JSON.stringify(value)}; ${expected} was expected.`, {
    hint: "Its parts are divided by single slashes; none of them is empty, `.` or `..`.",
  });
}
