import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isHubName, isPathWithin } from "../../../hub/hub-names.ts";
import { MillraceError } from "../../../index.ts";
import { findCheckpoint, type GetFile } from "../../../speech.ts";
import { modelOf } from "../toolkits/choose-convention.ts";
import { isNormalisedByToolkit, type XVectorSection } from "../xvector-config.ts";
import { checkDigest } from "./check-digest.ts";
import { checkpointModel } from "./checkpoint-model.ts";
import { findOnHub } from "./find-on-hub.ts";
import type { FoundModel, ModelFiles } from "./found-model.ts";
import { chooseModelFiles } from "./model-files.ts";

/** Finds the model of a config: files, the cache, or the hub. Undefined for the built-in one, which is not a file. */
export async function findModel(section: XVectorSection): Promise<FoundModel | undefined> {
  const name = modelOf(section);
  if (name === undefined) return undefined;
  const files = (await findFiles(name, section)) ?? (await findOnHub(name, section));
  if (isNormalisedByToolkit(section) && !("statistics" in files))
    throw new MillraceError("BAD_CONFIG", `xvector.model.normalize is mean_var_norm_emb, but ${name} has none.`, {
      hint: "Only checkpoints of SpeechBrain have these statistics. Set it to none or l2.",
    });
  if (!("onnx" in files)) return checkpointModel(files, section);
  return { path: files.onnx, sha256: await checkDigest(files.onnx, section.sha256 ?? undefined) };
}

/** The files of a model on this machine; undefined if it has to be the name of one on the hub. */
async function findFiles(name: string, section: XVectorSection): Promise<ModelFiles | undefined> {
  if (existsSync(name)) {
    if (!statSync(name).isDirectory()) return oneFile(name, section);
    return findInFolder(name, section);
  }
  if (isHubName(name) && !/\.(?:onnx|pth?|ckpt)$/.test(name)) return undefined;
  throw new MillraceError("BAD_MODEL", `There is no model file ${name}.`, {
    hint: "xvector.pretrained_model is the path of an ONNX file, the folder or file of a checkpoint, or the name of a model on the hub, such as owner/name.",
  });
}

async function findInFolder(folder: string, section: XVectorSection): Promise<ModelFiles> {
  const get = getterOf(folder);
  if (section.model_file != null) return oneFile(await get(section.model_file), section);
  const isNormalised = isNormalisedByToolkit(section);
  return chooseModelFiles(`The folder ${folder}`, readdirSync(folder), { get, isNormalised });
}

function getterOf(folder: string): GetFile {
  return async (name) => {
    const path = join(folder, name);
    if (isPathWithin(name) && existsSync(path)) return path;
    throw new MillraceError("BAD_MODEL", `The folder ${folder} has no ${name}.`, {
      hint: "Copy the whole folder of the model, or name the file in xvector.model_file.",
    });
  };
}

/** The model that one file belongs to, by its name. */
async function oneFile(path: string, section: XVectorSection): Promise<ModelFiles> {
  if (/\.(?:bin|safetensors)$/.test(path))
    throw new MillraceError("BAD_MODEL", `${path} holds weights without a model; an ONNX file is needed.`, {
      hint: "Export the model once: docs/xvectors.md shows how.",
    });
  if (!/\.(?:pth?|ckpt)$/.test(path)) return { onnx: path };
  const folder = dirname(path);
  // Beside its configuration a file may be SpeechBrain's; any other could be RawNet's.
  const names = [basename(path), "hyperparams.yaml"].filter((name) => existsSync(join(folder, name)));
  const found = await findCheckpoint(names, getterOf(folder), { isNormalised: isNormalisedByToolkit(section) });
  if (found !== undefined) return found;
  throw new MillraceError("BAD_MODEL", `${path} holds weights for PyTorch without their configuration.`, {
    hint: "Name the folder of the checkpoint, with all its files; or export the model once: docs/xvectors.md shows how.",
  });
}
