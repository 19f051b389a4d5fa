import { resolve } from "node:path";
import type { Audio, AudioFile, ReadAudioOptions } from "../../audio/audio.ts";
import { readAudio } from "../../audio/lazy-audio.ts";
import type {
  LhotseManifest,
  LhotseRecording,
  LhotseSource,
  LhotseSupervision,
  ManifestPlace,
} from "./lhotse-manifest.ts";

/** Options of {@link LhotseRow.readAudio}: the part that is read is the row's own. */
export type CutAudioOptions = Omit<ReadAudioOptions, "offset" | "duration" | "channel" | "name">;

/** Where the audio of a row comes from. */
export interface LhotseAudio {
  readonly baseDir: string;
  /** The audio of this row in the archive of a Shar folder. */
  readonly inArchive?: (() => Promise<Uint8Array>) | undefined;
}

interface RowFields {
  readonly kind: "cut" | "recording" | "supervision";
  readonly start: number;
  readonly duration: number;
  readonly channels: readonly number[];
  readonly recording: LhotseRecording | undefined;
  readonly supervisions: readonly LhotseSupervision[];
}

/** A cut, recording or supervision. Its fields are plain; samples are read on request. */
export class LhotseRow {
  readonly id: string;
  readonly kind: RowFields["kind"];
  /** Seconds in the recording. */
  readonly start: number;
  readonly duration: number;
  readonly channels: readonly number[];
  readonly supervisions: readonly LhotseSupervision[];
  readonly recording: LhotseRecording | undefined;
  /** The line of the manifest, with everything that it holds. */
  readonly manifest: LhotseManifest;
  readonly #place: ManifestPlace;
  readonly #audio: LhotseAudio;

  constructor(
    manifest: LhotseManifest,
    fields: RowFields,
    { place, audio }: { place: ManifestPlace; audio: LhotseAudio },
  ) {
    this.id = manifest.id;
    this.kind = fields.kind;
    this.start = fields.start;
    this.duration = fields.duration;
    this.channels = fields.channels;
    this.supervisions = fields.supervisions;
    this.recording = fields.recording;
    this.manifest = manifest;
    this.#place = place;
    this.#audio = audio;
  }

  /** The text of its supervisions, in order. */
  get text(): string {
    return this.supervisions.flatMap(({ text }) => (text === undefined ? [] : [text])).join(" ");
  }

  /** The file that holds its audio and no other: undefined for a part, for one channel of several, and in archives. */
  get file(): string | undefined {
    const [source, ...others] = this.recording?.sources ?? [];
    const isWhole = this.start === 0 && this.duration === this.recording?.duration && source?.channels.length === 1;
    if (source?.type !== "file" || others.length > 0 || !isWhole) return undefined;
    return resolve(this.#audio.baseDir, source.source);
  }

  /** The samples of its part of the recording: one array, of its only channel. */
  async readAudio(options: CutAudioOptions = {}): Promise<Audio> {
    const [first, ...others] = this.channels;
    if (first === undefined || others.length > 0)
      throw this.#place.bad(
        `has ${this.channels.length} channels`,
        "Read each: row.readChannels() returns one array for each.",
      );
    const [audio] = await this.#read([first], options);
    return audio!;
  }

  /** The samples of each of its channels, in their order. */
  readChannels(options: CutAudioOptions = {}): Promise<Audio[]> {
    return this.#read(this.channels, options);
  }

  #read(channels: readonly number[], options: CutAudioOptions): Promise<Audio[]> {
    const recording =
      this.recording ?? this.#raise("has no recording", "Pass the manifest of its recordings: { recordings }.");
    if (hasAny(recording["transforms"]))
      this.#raise(
        "has a recording with transforms, which are not applied",
        "Write the transformed audio with Lhotse first: cuts.save_audios.",
      );
    if (this.manifest["tracks"] !== undefined)
      this.#raise(
        "is a mix of tracks, which is not made here",
        "Write the mixed audio with Lhotse first: cuts.save_audios.",
      );
    const { sampling_rate: rate } = recording;
    // Whole samples, as Lhotse counts them: the start and the number are rounded apart from each other.
    const part = { offset: Math.round(this.start * rate) / rate, duration: Math.round(this.duration * rate) / rate };
    return Promise.all(
      channels.map(async (channel) => {
        const source = recording.sources.find((one) => one.channels.includes(channel));
        if (source === undefined) this.#raise(`asks for channel ${channel}, which its recording has not`);
        const from = await this.#open(source!);
        const name = `${this.#place.file}: ${this.id}`;
        return readAudio(from, { ...options, ...part, channel: source!.channels.indexOf(channel), name });
      }),
    );
  }

  async #open({ type, source }: LhotseSource): Promise<AudioFile> {
    if (type === "file") return resolve(this.#audio.baseDir, source);
    if (type === "memory") return Buffer.from(source, "base64");
    if (type === "shar" && this.#audio.inArchive !== undefined) return this.#audio.inArchive();
    return this.#raise(
      `has audio of the type ${JSON.stringify(type.slice(0, 40))}, which is not read`,
      "Files, audio in the manifest and Shar archives are read. Convert commands and addresses with Lhotse: cuts.save_audios.",
    );
  }

  #raise(problem: string, hint?: string): never {
    throw this.#place.bad(`(${this.id.slice(0, 100)}) ${problem}`, hint);
  }
}

function hasAny(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}

/** The row of a manifest's line. A supervision gets its recording from another manifest. */
export function lhotseRow(
  value: unknown,
  place: ManifestPlace,
  { audio, recordingOf }: { readonly audio: LhotseAudio; readonly recordingOf?: ((id: string) => unknown) | undefined },
): LhotseRow {
  const manifest = place.manifest(value);
  const make = (fields: RowFields) => new LhotseRow(manifest, fields, { place, audio });
  if (Array.isArray(manifest["sources"])) {
    const recording = place.recording(manifest);
    const channels = [...new Set(recording.sources.flatMap((source) => source.channels))].sort((a, b) => a - b);
    return make({
      kind: "recording",
      start: 0,
      duration: place.seconds(recording.duration, "duration"),
      channels,
      recording,
      supervisions: [],
    });
  }
  const start = place.seconds(manifest["start"] ?? 0, "start");
  if (typeof manifest["recording_id"] === "string") {
    const found = recordingOf?.(manifest["recording_id"]);
    const [supervision] = place.supervisions([manifest]);
    return make({
      ...{ kind: "supervision", start, duration: place.seconds(manifest["duration"], "duration") },
      ...{ channels: place.channels(manifest["channel"] ?? 0), supervisions: [supervision!] },
      recording: found === undefined ? undefined : place.recording(found),
    });
  }
  const isMixed = manifest["tracks"] !== undefined;
  return make({
    ...{ kind: "cut", start, duration: isMixed ? 0 : place.seconds(manifest["duration"], "duration") },
    channels: place.channels(manifest["channel"] ?? 0),
    supervisions: place.supervisions(manifest["supervisions"]),
    recording: manifest["recording"] === undefined ? undefined : place.recording(manifest["recording"]),
  });
}
