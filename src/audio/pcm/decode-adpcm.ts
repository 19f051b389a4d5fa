// The step sizes of the standard; they grow by about a tenth each.
// biome-ignore format: a table
const steps = Int16Array.of(
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
  130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060,
  1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484,
  7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
);
const indexChange = Int8Array.of(-1, -1, -1, -1, 2, 4, 6, 8);

/** Decodes one block of IMA ADPCM in WAV: a header per channel, then eight samples of each channel in turn. */
export function decodeImaBlock(block: Uint8Array, channels: number, frames: number, out: Float32Array): void {
  for (let channel = 0; channel < channels; channel++) {
    const header = channel * 4;
    let value = ((block[header]! | (block[header + 1]! << 8)) << 16) >> 16;
    let index = Math.min(block[header + 2]!, 88);
    out[channel] = value / 32768;
    for (let frame = 1; frame < frames; frame++) {
      const group = (frame - 1) >> 3;
      const within = (frame - 1) & 7;
      const byte = block[channels * 4 + (group * channels + channel) * 4 + (within >> 1)]!;
      const nibble = (within & 1) === 0 ? byte & 15 : byte >> 4;
      const step = steps[index]!;
      let change = step >> 3;
      if ((nibble & 1) !== 0) change += step >> 2;
      if ((nibble & 2) !== 0) change += step >> 1;
      if ((nibble & 4) !== 0) change += step;
      value = (nibble & 8) === 0 ? Math.min(value + change, 32767) : Math.max(value - change, -32768);
      index = Math.min(88, Math.max(0, index + indexChange[nibble & 7]!));
      out[frame * channels + channel] = value / 32768;
    }
  }
}

// How the step size follows the last code, in 1/256.
const adaptation = Int16Array.of(230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230);
const minStep = 16;

/** Decodes one block of Microsoft's ADPCM: two plain samples of each channel, then half a byte per sample. */
export function decodeMsBlock(
  block: Uint8Array,
  channels: number,
  frames: number,
  coefficients: Int16Array,
  out: Float32Array,
): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  for (let channel = 0; channel < channels; channel++) {
    const pair = Math.min(block[channel]!, coefficients.length / 2 - 1);
    const [first, second] = [coefficients[pair * 2]!, coefficients[pair * 2 + 1]!];
    let step = view.getInt16(channels + channel * 2, true);
    let last = view.getInt16(channels * 3 + channel * 2, true);
    let before = view.getInt16(channels * 5 + channel * 2, true);
    out[channel] = before / 32768;
    out[channels + channel] = last / 32768;
    for (let frame = 2; frame < frames; frame++) {
      const position = (frame - 2) * channels + channel;
      const byte = block[channels * 7 + (position >> 1)]!;
      const nibble = (position & 1) === 0 ? byte >> 4 : byte & 15;
      const predicted = (last * first + before * second) >> 8;
      const value = Math.max(-32768, Math.min(32767, predicted + ((nibble << 28) >> 28) * step));
      step = Math.max(minStep, (adaptation[nibble]! * step) >> 8);
      before = last;
      last = value;
      out[frame * channels + channel] = value / 32768;
    }
  }
}
