import { open } from "node:fs/promises";
import { errnoOf, messageOf } from "../errors/errors.ts";
import { configError } from "./config-error.ts";
import { type MapNode, makeMap } from "./config-node.ts";
import { readYamlText } from "./read-yaml.ts";

// The parser takes about 1.5 s for a megabyte.
const maxBytes = 2 * 1024 * 1024;

export interface ConfigFile {
  readonly root: MapNode;
  /** The `# @package …` at its top: the key at which its content is merged. */
  readonly packageHeader: string | undefined;
}

/** Reads one YAML file. `source` is its name in messages. Undefined if there is none. */
export async function readConfigFile(path: string, source: string): Promise<ConfigFile | undefined> {
  const bytes = await readBytes(path, source);
  if (bytes === undefined) return undefined;
  const text = decode(bytes, source);
  const top = readYamlText(text, source);
  if (top.kind === "map") return { root: top, packageHeader: readPackageHeader(text) };
  if (top.kind === "scalar" && top.value === null) {
    return { root: makeMap(top.position), packageHeader: readPackageHeader(text) };
  }
  throw configError(
    { source, line: 1, column: 1 },
    `The file holds ${top.kind === "list" ? "a list" : "a single value"}; keys with values were expected.`,
    {
      hint: "Write key: value, with a space after the colon.",
    },
  );
}

async function readBytes(path: string, source: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path, "r");
    try {
      const stat = await file.stat();
      if (stat.isDirectory())
        throw configError({ source }, "This is a folder; a YAML file was expected.", { hint: "Name a file in it." });
      // One byte more than allowed, so that a growing file or a pipe cannot fill the memory.
      const bytes = Buffer.allocUnsafe(maxBytes + 1);
      let length = 0;
      while (length <= maxBytes) {
        const { bytesRead } = await file.read(bytes, length, bytes.length - length);
        if (bytesRead === 0) return bytes.subarray(0, length);
        length += bytesRead;
      }
      throw configError({ source }, `The file is larger than ${maxBytes / 1024 / 1024} MiB.`, {
        hint: "Put large lists into a file of their own that the program reads.",
      });
    } finally {
      await file.close();
    }
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === undefined) throw cause;
    if (errno === "ENOENT" || errno === "ENOTDIR") return undefined;
    throw configError({ source }, `The file cannot be read: ${messageOf(cause)}.`, {
      cause,
      hint: "Check that this user may read it, and that its disk is there.",
    });
  }
}

function decode(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    // Finds the first byte that is not UTF-8 by bisection.
    let [good, bad] = [0, bytes.length];
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      if (isUtf8Prefix(bytes.subarray(0, middle))) good = middle;
      else bad = middle;
    }
    const before = decodeStart(bytes.subarray(0, good)).split("\n");
    const position = { source, line: before.length, column: before.at(-1)!.length + 1 };
    throw configError(position, "The file is not UTF-8 text.", { cause, hint: "Save it as UTF-8." });
  }
}

function isUtf8Prefix(bytes: Buffer): boolean {
  try {
    decodeStart(bytes);
    return true;
  } catch {
    return false;
  }
}

// A character that is cut off at the end is dropped.
function decodeStart(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
}

// Only comments may precede it, as in Hydra.
function readPackageHeader(text: string): string | undefined {
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    const stripped = line.trim();
    const match = /^#\s*@package\s+(\S+)\s*$/.exec(stripped);
    if (match !== null) return match[1];
    if (stripped !== "" && !stripped.startsWith("#")) return undefined;
  }
  return undefined;
}
