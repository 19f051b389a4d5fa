import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OggVorbisDecoder } from "@wasm-audio-decoders/ogg-vorbis";
import { expect, it } from "vitest";
import { clearChannelCount } from "../../../src/audio/ogg/open-vorbis.ts";

it("a Vorbis decoder makes no arrays for channels that it does not know yet", async () => {
  const file = readFileSync(fileURLToPath(new URL("../../golden/audio/vorbis.ogg", import.meta.url)));
  const headers = file.subarray(0, file.indexOf("OggS", file.indexOf("OggS", 4) + 4));
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  clearChannelCount(decoder);
  expect((await decoder.decode(headers)).channelData).toEqual([]);
  await decoder.decode(file.subarray(headers.length));
  expect(await decoder.flush()).toMatchObject({ samplesDecoded: 2001, channelData: { length: 2 } });
  decoder.free();
});
