import { createHash } from "node:crypto";

/** The file systems for which names are made. */
export interface SafeFileNameOptions {
  /**
   * Escapes capital letters too, so that `Utt1` and `utt1` differ on a case-insensitive file system (macOS, Windows).
   * Default: false; ids of letters, digits, `.`, `_` and `-` are unchanged.
   */
  readonly caseInsensitive?: boolean;
}

// Leaves space for a suffix and a temporary name within the 255 bytes of file systems.
const longestName = 200;
const digestDigits = 64;
// Device names on Windows, whatever follows the first dot.
const devicePattern = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

// Almost all ids match this and are unchanged.
const ordinary = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,198}[A-Za-z0-9_-])?$/;

/**
 * A file name for any id, so that names from data can neither leave their folder nor collide. Letters, digits and `. _
 * -` are kept; every other byte of the id's UTF-8 becomes `=` and two lowercase hex digits, and so does a dot at either
 * end and the first letter of a Windows device name. An empty id is `=`. A name longer than 200 bytes is cut and ends
 * with `=-` and the SHA-256 of the id. Two ids never get the same name: `=` itself is escaped, so the name determines
 * the bytes of the id, or contains its digest.
 */
export function safeFileName(id: string, { caseInsensitive = false }: SafeFileNameOptions = {}): string {
  if (id === "") return "=";
  if (!caseInsensitive && ordinary.test(id) && !devicePattern.test(id)) return id;
  const bytes = encodeId(id);
  const kept = caseInsensitive ? /[a-z0-9._-]/ : /[A-Za-z0-9._-]/;
  const isDevice = devicePattern.test(id);
  let name = "";
  for (const [at, byte] of bytes.entries()) {
    const character = String.fromCharCode(byte);
    const hasMeaning = (at === 0 && isDevice) || (character === "." && (at === 0 || at === bytes.length - 1));
    name += kept.test(character) && !hasMeaning ? character : `=${byte.toString(16).padStart(2, "0")}`;
  }
  return name.length <= longestName ? name : shorten(name, bytes);
}

function shorten(name: string, bytes: Uint8Array): string {
  const digest = createHash("sha256").update(bytes).digest("hex");
  // An escape is never cut in two.
  const beginning = name.slice(0, longestName - digestDigits - 2).replace(/=.?$/, "");
  return `${beginning}=-${digest}`;
}

/**
 * UTF-8, with an unpaired surrogate as three separate bytes: Node would replace all of them with the same character.
 */
function encodeId(id: string): Uint8Array {
  if (!/\p{Surrogate}/u.test(id)) return Buffer.from(id, "utf8");
  const pieces = Array.from(id, (character) => {
    const code = character.codePointAt(0)!;
    const isHalf = code >= 0xd800 && code <= 0xdfff;
    if (!isHalf) return Buffer.from(character, "utf8");
    return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
  });
  return Buffer.concat(pieces);
}
