import { MillraceError } from "../../errors/errors.ts";
import { jsonText } from "../lines/json-text.ts";
import { encodeTarEntry } from "./encode-tar-entry.ts";
import type { WebDatasetSample } from "./read-web-dataset.ts";

/**
 * A sample as entries of a shard, in the order of their extensions, so that the same sample always gives the same
 * bytes.
 */
export function encodeWebDatasetSample(sample: WebDatasetSample): Uint8Array {
  const key = checkKey(sample.__key__);
  const extensions = Object.keys(sample).filter((name) => name !== "__key__" && sample[name] !== undefined);
  if (extensions.length === 0) throw badSample(key, "has no files", "Give it at least one: { __key__, wav: bytes }.");
  return Buffer.concat(
    extensions.sort().map((extension) => {
      const name = `${key}.${checkExtension(key, extension)}`;
      return encodeTarEntry(name, encodeValue(key, extension, sample[extension]));
    }),
  );
}

function encodeValue(key: string, extension: string, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (extension === "json" || extension.endsWith(".json")) return Buffer.from(toJson(key, extension, value));
  if (typeof value === "string") return encodeText(key, extension, value);
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value)))
    return Buffer.from(String(value));
  if (typeof value === "number")
    throw badSample(key, `has ${value} for ${extension}`, "Give a finite number, or leave the file out.");
  throw badSample(key, `has a value for ${extension} that is not bytes or text`, "Only json takes other values.");
}

function encodeText(key: string, extension: string, text: string): Uint8Array {
  if (!/\p{Surrogate}/u.test(text)) return Buffer.from(text);
  throw badSample(key, `has a text for ${extension} with half a character`, "Cut texts between characters.");
}

function toJson(key: string, extension: string, value: unknown): string {
  const root = extension === "json" ? extension : `sample[${JSON.stringify(extension)}]`;
  const made = jsonText(value, { root });
  if ("text" in made) return made.text;
  throw badSample(key, `cannot be written as JSON: ${made.problem}`, made.hint, made.cause);
}

/** Readers use the name up to the first dot of its last part as the key: a key with a dot would be shortened. */
function checkKey(key: unknown): string {
  const last = typeof key === "string" ? key.slice(key.lastIndexOf("/") + 1) : "";
  if (typeof key === "string" && last !== "" && !last.includes(".")) return key;
  throw badSample(key, "has a key that readers would not return", "Replace its dots, and do not end it with /.");
}

function checkExtension(key: string, extension: string): string {
  const isPlain = /^[^/\0]+$/.test(extension) && extension === extension.toLowerCase() && !extension.startsWith("__");
  if (isPlain) return extension;
  throw badSample(
    key,
    `has the extension ${JSON.stringify(extension)}`,
    "Use small letters, no / and no __ before it.",
  );
}

function badSample(key: unknown, why: string, hint: string, cause?: unknown): MillraceError {
  return new MillraceError("BAD_RECORD", `The sample ${JSON.stringify(key)} ${why}.`, { hint, cause });
}
