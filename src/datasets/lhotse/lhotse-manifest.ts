import { refuseFile } from "../../formats/refuse-file.ts";
import { isPlainObject } from "../../values/state-json.ts";

/** One place of a recording's audio. */
export interface LhotseSource {
  /** `file`, `memory` (base64) and `shar` (in an archive beside the manifest) are read; `url` and `command` are not. */
  readonly type: string;
  readonly channels: readonly number[];
  readonly source: string;
}

/** A recording, as its manifest has it. */
export interface LhotseRecording {
  readonly id: string;
  readonly sources: readonly LhotseSource[];
  readonly sampling_rate: number;
  readonly num_samples: number;
  readonly duration: number;
  readonly [key: string]: unknown;
}

/** What is said in a part of a recording. In a cut, `start` counts from the beginning of the cut. */
export interface LhotseSupervision {
  readonly id: string;
  readonly recording_id: string;
  readonly start: number;
  readonly duration: number;
  readonly channel: number | readonly number[];
  readonly text?: string;
  readonly speaker?: string;
  readonly language?: string;
  readonly [key: string]: unknown;
}

/** A line of a manifest: a cut, a recording or a supervision. */
export type LhotseManifest = Readonly<Record<string, unknown>> & { readonly id: string };

/** A check of what a manifest says, with the file and the row in the error. */
export class ManifestPlace {
  readonly file: string;
  readonly row: number;

  constructor(file: string, row: number) {
    this.file = file;
    this.row = row;
  }

  bad(problem: string, hint?: string): Error {
    return refuseFile(this.file, undefined, `row ${this.row} ${problem}`, hint === undefined ? {} : { hint });
  }

  manifest(value: unknown): LhotseManifest {
    if (isPlainObject(value) && typeof value["id"] === "string") return value as LhotseManifest;
    throw this.bad("is no object with an id");
  }

  seconds(value: unknown, key: string): number {
    if (typeof value === "number" && value >= 0 && value < 1e9) return value;
    throw this.bad(`has no number of seconds as its ${key}`);
  }

  channels(value: unknown): readonly number[] {
    const list = Array.isArray(value) ? value : [value];
    if (list.length > 0 && list.every((channel) => Number.isInteger(channel) && channel >= 0)) return list as number[];
    throw this.bad("has no channel that is a number from 0 on");
  }

  recording(value: unknown): LhotseRecording {
    const isSound = isPlainObject(value) && typeof value["id"] === "string" && Array.isArray(value["sources"]);
    if (!isSound || !(value["sources"] as unknown[]).every(isSource))
      throw this.bad("has no recording with an id and sources");
    const rate = value["sampling_rate"];
    if (!(typeof rate === "number" && rate >= 1 && rate <= 10_000_000))
      throw this.bad("has a recording without a sampling_rate");
    return value as LhotseRecording;
  }

  supervisions(value: unknown): readonly LhotseSupervision[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value) && value.every((one) => isPlainObject(one) && typeof one["id"] === "string"))
      return value as LhotseSupervision[];
    throw this.bad("has supervisions that are no list of objects with ids");
  }
}

function isSource(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { type, channels, source } = value;
  return (
    typeof type === "string" &&
    typeof source === "string" &&
    Array.isArray(channels) &&
    channels.every(Number.isInteger)
  );
}
