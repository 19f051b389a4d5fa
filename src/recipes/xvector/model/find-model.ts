import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { MillraceError } from "../../../index.ts";
import { modelOf } from "../toolkits/choose-convention.ts";
import type { XVectorSection } from "../xvector-config.ts";
import { fetchFromHub } from "./fetch-from-hub.ts";
import { findInCache } from "./find-in-cache.ts";
import { hubSettings, isHubName } from "./hub.ts";
import { explainHubFailure } from "./hub-errors.ts";
import { readNotedDigest } from "./noted-digest.ts";

/** A model that lies on this machine. */
export interface FoundModel {
  readonly path: string;
  readonly sha256: string;
}

/** Finds the model of a config: a file, the cache, or the hub. Undefined for the built-in one, which is no file. */
export async function findModel(section: XVectorSection): Promise<FoundModel | undefined> {
  const name = modelOf(section);
  if (name === undefined) return undefined;
  const path = findFile(name, section) ?? (await findOnHub(name, section));
  const sha256 = await digestFile(path);
  const noted = readNotedDigest(path);
  const expected = section.sha256?.toLowerCase() ?? noted;
  if (expected === undefined || expected === sha256) return { path, sha256 };
  const whose = section.sha256 == null ? `${path}.sha256` : "xvector.sha256";
  throw new MillraceError("BAD_MODEL", `${path} has the SHA-256 ${sha256}, not ${expected} as ${whose} says.`, {
    hint: "The file was changed or damaged. Delete it to have it fetched again, or correct the checksum.",
  });
}

function findFile(name: string, { model_file }: XVectorSection): string | undefined {
  if (existsSync(name)) {
    if (!statSync(name).isDirectory()) return refusePyTorch(name);
    const names = model_file == null ? readdirSync(name).filter((entry) => entry.endsWith(".onnx")) : [model_file];
    const [only] = names;
    if (names.length === 1 && existsSync(join(name, only!))) return join(name, only!);
    const what = names.length > 1 ? `several ONNX files: ${names.join(", ")}` : `no ${model_file ?? "ONNX file"}`;
    throw new MillraceError("BAD_MODEL", `The folder ${name} has ${what}.`, {
      hint: "Name the file in xvector.pretrained_model, or its name in xvector.model_file.",
    });
  }
  if (isHubName(name) && !/\.(?:onnx|pth?|ckpt)$/.test(name)) return undefined;
  throw new MillraceError("BAD_MODEL", `There is no model file ${name}.`, {
    hint: "xvector.pretrained_model is the path of an ONNX file or the name of a model on the hub, such as owner/name.",
  });
}

function refusePyTorch(path: string): string {
  if (!/\.(?:pth?|ckpt|bin|safetensors)$/.test(path)) return path;
  throw new MillraceError("BAD_MODEL", `${path} holds weights for PyTorch; an ONNX file is needed.`, {
    hint: "Export the model once: docs/xvectors.md shows how.",
  });
}

async function findOnHub(repo: string, { model_file, revision }: XVectorSection): Promise<string> {
  const settings = hubSettings();
  const file = { repo, revision: revision ?? "main", file: model_file ?? undefined };
  const cached = findInCache(file, settings);
  if (cached !== undefined) return cached;
  if (settings.isOffline) throw explainHubFailure({ file, settings, why: "HF_HUB_OFFLINE is set" });
  return fetchFromHub(file, settings);
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
