/** Signatures and sizes of the records of a ZIP file (APPNOTE 6.3), and the two extra fields used here. */
export const zip = {
  localSignature: 0x04034b50,
  localBytes: 30,
  centralSignature: 0x02014b50,
  centralBytes: 46,
  endSignature: 0x06054b50,
  endBytes: 22,
  end64Signature: 0x06064b50,
  end64Bytes: 56,
  locatorSignature: 0x07064b50,
  locatorBytes: 20,
  descriptorSignature: 0x08074b50,
  stored: 0,
  deflated: 8,
  encryptedFlags: 0x2041,
  descriptorFlag: 0x0008,
  utf8Flag: 0x0800,
  zip64Extra: 0x0001,
  // PyTorch's mark of padding before data ("FB").
  paddingExtra: 0x4246,
  full16: 0xffff,
  full32: 0xffffffff,
} as const;

/** A 64-bit number; beyond 2^53 it is rounded, which is far above any file size, so checks refuse it. */
export function readUint64(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at);
}

export function writeUint64(bytes: Buffer, value: number, at: number): void {
  bytes.writeUInt32LE(value % 2 ** 32, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}

/** The extra field of a kind in a record's extra fields, or undefined. */
export function findExtra(extra: Buffer, kind: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === kind) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}

/**
 * Why a name is not allowed in an archive, or undefined. Nothing is unpacked by name here, but other programs do that.
 */
export function problemOfName(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "contains a NUL";
  if (/^[/\\]|^[A-Za-z]:[/\\]/.test(name)) return "is an absolute path";
  if (name.split(/[/\\]/).includes("..")) return "leads out of its folder (..)";
  return undefined;
}
