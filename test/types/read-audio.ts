// Compiled, never run: each line below `@ts-expect-error` must be a mistake in the eyes of the compiler.
import { type AudioInput, probeAudio, readAudio } from "millrace/speech";

export async function use(blob: Blob, stream: ReadableStream<Uint8Array>, response: Response): Promise<Float32Array[]> {
  const inputs: AudioInput[] = ["a.wav", new URL("file:///a.wav"), new Uint8Array(1), blob, stream];
  const { samples } = await readAudio(response.body!);
  const all = await readAudio(blob, { channel: "all" });
  await probeAudio(await response.blob());
  // @ts-expect-error: it would use the stream up.
  await probeAudio(stream);
  // @ts-expect-error: texts are no bytes.
  await readAudio(new ReadableStream<string>());
  return inputs.length === 0 ? all.samples : [samples];
}
