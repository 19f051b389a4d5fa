const crc8Table = Uint8Array.from({ length: 256 }, (_, byte) => shiftThrough(byte, 8, 0x07));
const crc16Table = Uint16Array.from({ length: 256 }, (_, byte) => shiftThrough(byte << 8, 16, 0x8005));

function shiftThrough(start: number, width: number, polynomial: number): number {
  const top = 1 << (width - 1);
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = (value & top) === 0 ? value << 1 : (value << 1) ^ polynomial;
  return value & ((1 << width) - 1);
}

/** The checksum at the end of a frame header. */
export function crc8(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = crc8Table[value ^ bytes[i]!]!;
  return value;
}

/** The checksum at the end of a frame. */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = ((value << 8) & 0xffff) ^ crc16Table[(value >> 8) ^ bytes[i]!]!;
  return value;
}
