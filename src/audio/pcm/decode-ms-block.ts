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
