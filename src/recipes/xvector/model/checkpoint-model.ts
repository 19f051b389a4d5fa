import { createHash } from "node:crypto";
import { basename } from "node:path";
import { MillraceError } from "../../../index.ts";
import { type CheckpointFiles, describeCheckpoint } from "../../../speech.ts";
import type { XVectorSection } from "../xvector-config.ts";
import { checkDigest } from "./check-digest.ts";
import { convertOnce } from "./convert-once.ts";
import type { FoundModel } from "./found-model.ts";

// What the files of a checkpoint say themselves.
const decidedByFiles = [
  "input",
  "sample_rate",
  "sample_scale",
  "frontend",
  "frontend_options",
  "cmvn",
  "layout",
  "lengths",
  "input_name",
  "output_name",
] as const;

/** A checkpoint of PyTorch as a model: its configuration is read, and it is converted unless that was done before. */
export async function checkpointModel(files: CheckpointFiles, section: XVectorSection): Promise<FoundModel> {
  refuseOtherToolkit(files, section);
  const weights = await checkDigest(files.weights, section.sha256 ?? undefined);
  const config = files.toolkit === "rawnet" ? undefined : await checkDigest(files.config);
  const statistics = "statistics" in files && files.statistics !== undefined ? await checkDigest(files.statistics) : "";
  const source = createHash("sha256")
    .update(`${files.toolkit}\n${config ?? ""}\n${weights}\n${statistics}`)
    .digest("hex");
  const checkpoint = describeCheckpoint(files);
  return {
    path: files.weights,
    sha256: source,
    converted: { checkpoint, graph: await convertOnce(checkpoint, source) },
  };
}

function refuseOtherToolkit({ toolkit, weights }: CheckpointFiles, section: XVectorSection): void {
  const asked = section.toolkit ?? undefined;
  if (asked !== undefined && asked !== toolkit && asked !== "onnx")
    throw new MillraceError("BAD_MODEL", `${weights} is a checkpoint of ${toolkit}, but xvector.toolkit is ${asked}.`, {
      hint: `Set xvector.toolkit to ${toolkit}.`,
    });
  const changed = decidedByFiles.filter((key) => section.model?.[key] != null);
  if (changed.length > 0)
    throw new MillraceError(
      "BAD_CONFIG",
      `xvector.model changes ${changed.join(", ")}, which the files of the checkpoint ${basename(weights)} say.`,
      { hint: "Remove these keys; min_frames, windows and normalize may be changed." },
    );
}
