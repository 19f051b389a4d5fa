/** Describes a file that is not audio, and the usual fix. */
export function describeBytes(head: Uint8Array): { readonly what: string; readonly hint: string } {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 1024)).toString("latin1");
  if (start.startsWith(gzipSignature)) return { what: "is compressed with gzip", hint: "unpack it first" };
  for (const [pattern, what, hint] of known) if (pattern.test(start)) return { what, hint };
  if (/^[\t\n\r\x20-\x7e]+$/.test(start)) {
    const line = start.split(/[\r\n]/, 1)[0]!.slice(0, 40);
    return {
      what: `is text ("${line}"), not audio`,
      hint: "check that the path names the audio and not its transcript",
    };
  }
  const shown = Buffer.from(head.subarray(0, 8))
    .toString("hex")
    .replaceAll(/(..)(?=.)/g, "$1 ");
  return {
    what: `is in no known audio format (it begins with the bytes ${shown})`,
    hint: "check that it is audio; what ffmpeg reads can be converted: ffmpeg -i FILE out.flac",
  };
}

const again = "fetch the file again and look at what the server answers";
const convert = "convert it: ffmpeg -i FILE out.flac";

const gzipSignature = "\x1f\x8b";

const known: readonly (readonly [RegExp, string, string])[] = [
  [/^version https:\/\/git-lfs/, "is a git-lfs pointer, not the file itself", "run: git lfs pull"],
  [/^\/annex\/objects\//, "is a git-annex pointer, not the file itself", "run: git annex get"],
  [/^\s*(<!doctype html|<html)/i, "is an HTML page, probably a saved error message", again],
  [/^\s*<\?xml/i, "is XML, probably a saved error message", again],
  [/^\s*[{[][\s"]/, "is JSON, probably a saved error message", again],
  [
    /^RIFF....(?!WAVE)/s,
    "is a RIFF file of another kind than WAVE",
    "check that it is audio; video can be converted: ffmpeg -i FILE out.flac",
  ],
  [/^.{8}WAVEfmt /s, "has a WAVE header whose first bytes are damaged (not RIFF)", "fetch or make it again"],
  [/^PK\cC\cD/, "is a zip archive", "unpack it first"],
  [/^ajkg/, "is compressed with shorten", "convert it: sox FILE.shn out.wav"],
  [/^wvpk/, "is WavPack", convert],
  [/^MAC /, "is Monkey's Audio", convert],
  [/^(TTA[12]|MPCK|MP\+)/, "is in a format that is not read here", convert],
  [/^#!SILK/, "is raw SILK", convert],
  [/^\0{64}/, "begins with nothing but zero bytes", "the disk or a copy lost its contents: fetch it again"],
];
