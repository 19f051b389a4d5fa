import { resolve } from "node:path";
import type { Audio, ReadAudioOptions } from "../../audio/audio.ts";
import { readAudio } from "../../audio/lazy-audio.ts";
import { MillraceError } from "../../errors/errors.ts";
import { withFileSource } from "../../formats/file-source.ts";
import type { KaldiValue } from "../../formats/kaldi/kaldi-value.ts";
import { readKaldiValue } from "../../formats/kaldi/read-kaldi-value.ts";
import { parseScpLine } from "../../formats/kaldi/scp-line.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { type CommandRules, runKaldiCommand } from "./kaldi-command.ts";
import type { KaldiLine } from "./kaldi-table.ts";

/** How an utterance is read: offset and duration are its own, and so is the channel where its segment names one. */
export type UtteranceAudioOptions = Omit<ReadAudioOptions, "offset" | "duration" | "channel" | "name"> & {
  readonly channel?: "mix" | number;
};

/** What an utterance needs to read its files. */
export interface KaldiFiles extends CommandRules {
  readonly baseDir: string;
  readonly wavScp: string;
  readonly featsScp: string;
}

/** One row of a Kaldi data folder. Its fields are plain; samples and features are read on request. */
export class KaldiUtterance {
  readonly id: string;
  /** The id of its recording; the utterance itself where there is no segments file. */
  readonly recording: string;
  /** Seconds in the recording; undefined for the whole of it. */
  readonly start?: number;
  readonly end?: number;
  readonly channel?: number;
  readonly text?: string;
  readonly speaker?: string;
  /** The file or command of the recording, as wav.scp has it. */
  readonly wav?: string;
  /** Where its features are, as feats.scp has it. */
  readonly feats?: string;
  readonly #files: KaldiFiles;
  readonly #wavOffset: number;

  constructor(
    fields: { id: string; recording: string } & Partial<
      Pick<KaldiUtterance, "start" | "end" | "channel" | "text" | "speaker">
    >,
    { wav, feats }: { readonly wav: KaldiLine | undefined; readonly feats: KaldiLine | undefined },
    files: KaldiFiles,
  ) {
    this.id = fields.id;
    this.recording = fields.recording;
    const { start, end, channel, text, speaker } = fields;
    if (start !== undefined) this.start = start;
    if (end !== undefined) this.end = end;
    if (channel !== undefined) this.channel = channel;
    if (text !== undefined) this.text = text;
    if (speaker !== undefined) this.speaker = speaker;
    if (wav !== undefined) this.wav = wav.value;
    if (feats !== undefined) this.feats = feats.value;
    this.#files = files;
    this.#wavOffset = wav?.offset ?? 0;
  }

  /** The file that holds its audio and no other: undefined for a command, a segment and one channel of several. */
  get file(): string | undefined {
    const isWhole = this.start === undefined && this.channel === undefined;
    return this.wav === undefined || !isWhole || isCommand(this.wav)
      ? undefined
      : resolve(this.#files.baseDir, this.wav);
  }

  /** The samples of the utterance: of its segment, if it has one. */
  async readAudio(options: UtteranceAudioOptions = {}): Promise<Audio> {
    if (this.wav === undefined) throw notListed(this, "recording", this.#files.wavScp);
    const { baseDir, wavScp } = this.#files;
    const from = isCommand(this.wav)
      ? await runKaldiCommand({ text: this.wav.replace(/\|$/, ""), file: wavScp, offset: this.#wavOffset }, this.#files)
      : resolve(baseDir, this.wav);
    return readAudio(from, {
      ...options,
      name: `${wavScp}: ${this.recording}`,
      ...(this.start !== undefined && { offset: this.start }),
      ...(this.end !== undefined && { duration: this.end - (this.start ?? 0) }),
      ...(this.channel !== undefined && { channel: this.channel }),
    });
  }

  /** The matrix or vector that feats.scp names. */
  readFeatures(): KaldiValue {
    const { featsScp, baseDir } = this.#files;
    if (this.feats === undefined) throw notListed(this, "features", featsScp);
    const entry = parseScpLine(`${this.id} ${this.feats}`);
    if (typeof entry === "string") throw refuseFile(featsScp, undefined, `the line of ${this.id} ${entry}`);
    const { path, offset, range } = entry;
    return withFileSource(resolve(baseDir, path), (file) =>
      readKaldiValue(file, offset, range === undefined ? {} : { range }),
    );
  }
}

function isCommand(wav: string): boolean {
  return wav.endsWith("|") || wav.startsWith("|");
}

function notListed({ id, recording }: KaldiUtterance, what: string, file: string): MillraceError {
  const which = what === "recording" ? ` (${recording})` : "";
  return new MillraceError("BAD_FILE", `The ${what}${which} of ${id} is not in ${file}.`, {
    hint: "Each utterance needs a line there: utils/validate_data_dir.sh lists what is missing.",
  });
}
