import { messageOf } from "../errors/errors.ts";
import { outputLimit } from "../input/output-limit.ts";
import { describeKind } from "../values/state-json.ts";
import type { ReadAudioOptions } from "./audio.ts";
import { badAudio } from "./bad-audio.ts";

// The limit for a second of a stream if only `maxSeconds` is given: two channels of 48 kHz with 4 bytes per sample.
const bytesOfSecond = 48_000 * 2 * 4;
const firstBytes = 64 * 1024;
// A stream may give an empty piece now and then; one that gives only empty pieces would be read forever.
const maxEmptyChunks = 1000;

/**
 * Reads all bytes of a stream, because most formats hold their length at their end. A stream that gives more bytes than the
 * limits of its samples allow is left and refused, so an endless one ends in an error.
 */
export async function readStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
  options: Pick<ReadAudioOptions, "maxSeconds" | "maxOutputBytes">,
): Promise<Uint8Array> {
  if (stream.locked)
    throw badAudio(name, "is a stream that something else reads", "give a stream that nothing has read");
  const maxBytes = streamLimit(options);
  const reader = stream.getReader();
  let bytes = Buffer.allocUnsafeSlow(Math.min(firstBytes, maxBytes));
  let length = 0;
  try {
    for (let empty = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return bytes.subarray(0, length);
      if (!(value instanceof Uint8Array)) throw noBytes(name, value);
      empty = value.length === 0 ? empty + 1 : 0;
      if (empty > maxEmptyChunks)
        throw badAudio(name, "gives pieces without bytes, again and again", "read it yourself");
      if (length + value.length > maxBytes) throw tooLong(name, maxBytes);
      if (length + value.length > bytes.length) bytes = grow(bytes, length, length + value.length, maxBytes);
      bytes.set(value, length);
      length += value.length;
    }
  } catch (error) {
    // The rest of the stream is not needed; an error while cancelling it changes nothing.
    reader.cancel(error).catch(() => {});
    throw isOurs(error)
      ? error
      : badAudio(name, `cannot be read: ${messageOf(error)}`, "check where it comes from", error);
  }
}

function streamLimit(options: Pick<ReadAudioOptions, "maxSeconds" | "maxOutputBytes">): number {
  const { maxSeconds = 0, maxOutputBytes } = options;
  const allowed = outputLimit(0, options);
  return maxOutputBytes === undefined ? Math.max(allowed, maxSeconds * bytesOfSecond) : allowed;
}

/** Doubles the size, so that a long stream is not copied with every piece. */
function grow(bytes: Buffer, used: number, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(2 * bytes.length, maxBytes)));
  larger.set(bytes.subarray(0, used));
  return larger;
}

function isOurs(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === "BAD_AUDIO";
}

function noBytes(name: string, value: unknown): Error {
  return badAudio(name, `gives ${describeKind(value)} instead of bytes`, "give a stream of Uint8Array");
}

function tooLong(name: string, maxBytes: number): Error {
  return badAudio(
    name,
    `is a stream of more than the ${maxBytes} bytes allowed`,
    "it may be endless. If you trust it, give maxOutputBytes; or write it into a file and read that in parts",
  );
}
