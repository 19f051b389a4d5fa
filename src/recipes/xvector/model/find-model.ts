import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isHubName, isPathWithin } from "../../../hub/hub-names.ts";
import { MillraceError } from "../../../index.ts";
import { findCheckpoint } from "../../../speech.ts";
import { modelOf } from "../toolkits/choose-convention.ts";
import type { XVectorSection } from "../xvector-config.ts";
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
  if (!("onnx" in files)) return checkpointModel(files, section);
  return { path: files.onnx, sha256: await checkDigest(files.onnx, section.sha256 ?? undefined) };
}

/** The files of a model on this machine; undefined if it has to be the name of one on the hub. */
async function findFiles(name: string, { model_file }: XVectorSection): Promise<ModelFiles | undefined> {
  if (existsSync(name)) {
    if (!statSync(name).isDirectory()) return oneFile(name);
    return findInFolder(name, model_file ?? undefined);
  }
  if (isHubName(name) && !/\.(?:onnx|pth?|ckpt)$/.test(name)) return undefined;
  throw new MillraceError("BAD_MODEL", `There is no model file ${name}.`, {
    hint: "xvector.pretrained_model is the path of an ONNX file, the folder or file of a checkpoint, or the name of a model on the hub, such as owner/name.",
  });
}

async function findInFolder(folder: string, modelFile: string | undefined): Promise<ModelFiles> {
  const get = async (name: string) => {
    const path = join(folder, name);
    if (isPathWithin(name) && existsSync(path)) return path;
    throw new MillraceError("BAD_MODEL", `The folder ${folder} has no ${name}.`, {
      hint: "Copy the whole folder of the model, or name the file in xvector.model_file.",
    });
  };
  if (modelFile !== undefined) return oneFile(await get(modelFile));
  return chooseModelFiles(`The folder ${folder}`, readdirSync(folder), get);
}

/** The model that one file belongs to, by its name. */
async function oneFile(path: string): Promise<ModelFiles> {
  if (/\.(?:bin|safetensors)$/.test(path))
    throw new MillraceError("BAD_MODEL", `${path} holds weights without a model; an ONNX file is needed.`, {
      hint: "Export the model once: docs/xvectors.md shows how.",
    });
  if (!/\.(?:pth?|ckpt)$/.test(path)) return { onnx: path };
  const folder = dirname(path);
  const config = join(folder, "hyperparams.yaml");
  if (basename(path) === "embedding_model.ckpt" && existsSync(config))
    return { toolkit: "speechbrain", config, weights: path };
  const found = await findCheckpoint([basename(path)], async () => path);
  if (found !== undefined) return found;
  throw new MillraceError("BAD_MODEL", `${path} holds weights for PyTorch without their configuration.`, {
    hint: "Name the folder of the checkpoint, with all its files; or export the model once: docs/xvectors.md shows how.",
  });
}
