// Makes test/golden/audio: one short signal in many formats, each written by another program. Needs sox, flac, lame,
// vorbis-tools, opus-tools, ffmpeg and libsndfile's programs (sndfile-programs) on the PATH.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../test/golden/audio/", import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

function run(program, ...args) {
  const { status, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
}

// An eighth of a second, stereo: a rising tone on the left, a falling one with some noise on the right. The last block of
// every codec is not full.
const [frames, rate] = [2001, 16_000];
const header = Buffer.from("524946460000000057415645666d7420100000000100020000000000000000000400100064617461", "hex");
const data = Buffer.alloc(frames * 4);
let seed = 1;
for (let i = 0; i < frames; i++) {
  const time = i / rate;
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  const noise = ((seed >>> 16) / 65_536 - 0.5) * 0.02;
  const fade = Math.min(1, i / 200, (frames - i) / 200);
  data.writeInt16LE(Math.round(fade * 9000 * Math.sin(2 * Math.PI * (200 + 1200 * time) * time)), i * 4);
  data.writeInt16LE(Math.round(fade * 9000 * (Math.sin(2 * Math.PI * (900 - 1000 * time) * time) + noise)), i * 4 + 2);
}
header.writeUInt32LE(36 + data.length, 4);
header.writeUInt32LE(rate, 24);
header.writeUInt32LE(rate * 4, 28);
const size = Buffer.alloc(4);
size.writeUInt32LE(data.length);
writeFileSync(`${folder}source.wav`, Buffer.concat([header, size, data]));

// The same samples in other containers.
run("flac", "-s", "-8", "--no-padding", "-o", "best.flac", "source.wav");
run("flac", "-s", "--no-padding", "--lax", "-b", "33", "-l", "32", "-r", "15", "-o", "small-blocks.flac", "source.wav");
run("flac", "-s", "-0", "--no-padding", "--ogg", "-o", "flac.oga", "source.wav");
run("sox", "-D", "source.wav", "-t", "nist", "pcm.sph");
run("sox", "-D", "source.wav", "-t", "aiff", "pcm.aiff");
run("ffmpeg", "-v", "error", "-i", "source.wav", "-c:a", "pcm_f32le", "-bitexact", "float.caf");
run("sndfile-convert", "source.wav", "pcm.w64");
run("ffmpeg", "-v", "error", "-i", "source.wav", "-rf64", "always", "rf64.wav");
// Lossy formats: the samples that another program decodes are stored beside them.
run("sox", "-D", "source.wav", "-t", "wav", "-e", "ima-adpcm", "ima.wav");
run("sox", "-D", "ima.wav", "-t", "wav", "-e", "signed", "-b", "16", "ima.decoded.wav", "channels", "1");
run("sox", "-D", "source.wav", "-t", "wav", "-e", "ms-adpcm", "ms.wav");
run("sox", "-D", "ms.wav", "-t", "wav", "-e", "signed", "-b", "16", "ms.decoded.wav", "channels", "1");
run("sox", "-D", "source.wav", "-t", "nist", "-e", "u-law", "ulaw.sph");
run("sox", "-D", "ulaw.sph", "-t", "wav", "-e", "signed", "-b", "16", "ulaw.decoded.wav", "channels", "1");
run("lame", "--quiet", "-b", "64", "source.wav", "cbr.mp3");
run("lame", "--quiet", "-V", "6", "-m", "m", "source.wav", "mono-vbr.mp3");
run("lame", "--quiet", "-b", "64", "-t", "source.wav", "untagged.mp3");
run("oggenc", "-Q", "-s", "1", "-q", "6", "-o", "vorbis.ogg", "source.wav");
run("opusenc", "--quiet", "--serial", "1", "--bitrate", "64", "source.wav", "opus.opus");
run("ffmpeg", "-v", "error", "-i", "source.wav", "-c:a", "alac", "-bitexact", "alac.m4a");
