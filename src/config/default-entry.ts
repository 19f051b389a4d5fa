import { configError } from "./config-error.ts";
import { type ConfigNode, type MapNode, pathOf, type SourcePosition } from "./config-node.ts";
import { pythonText } from "./python-text.ts";

/** One line of a `defaults:` list, as written. */
export type DefaultEntry =
  | { readonly kind: "self"; readonly position: SourcePosition }
  | {
      /** `- base`, `- server/apache@admin`: a config that is always loaded. */
      readonly kind: "config";
      readonly path: string;
      readonly package: string | undefined;
      readonly isOptional: boolean;
      readonly position: SourcePosition;
    }
  | {
      /** `- model: small`, `- override model@other: large`: a choice of a group, which can be overridden. */
      readonly kind: "group";
      readonly group: string;
      readonly choice: string | readonly string[] | null;
      readonly package: string | undefined;
      readonly isOptional: boolean;
      readonly isOverride: boolean;
      readonly position: SourcePosition;
    };

/** Removes the defaults list from a config and parses it. */
export function takeDefaults(root: MapNode): DefaultEntry[] {
  const defaults = root.entries.get("defaults");
  if (defaults === undefined) return [];
  if (defaults.kind !== "list") {
    throw configError(defaults.position, "defaults has to be a list of configs.", {
      hint: "Write - group: choice, - config or - _self_, one a line. A section of your own needs another name.",
    });
  }
  root.entries.delete("defaults");
  return defaults.items.map(readEntry);
}

function readEntry(item: ConfigNode): DefaultEntry {
  const { position } = item;
  if (item.kind === "scalar" && typeof item.value === "string") {
    if (item.value === "_self_") return { kind: "self", position };
    const { words, name, pack } = splitName(item.value);
    if (words.some((word) => word !== "optional")) throw badEntry(item);
    return { kind: "config", path: name, package: pack, isOptional: words.length > 0, position };
  }
  if (item.kind !== "map" || item.entries.size !== 1) throw badEntry(item);
  const [[key, value]] = [...item.entries] as [[string, ConfigNode]];
  const { words, name, pack } = splitName(key);
  if (words.some((word) => word !== "optional" && word !== "override")) throw badEntry(item);
  return {
    kind: "group",
    group: name,
    choice: readChoice(value),
    package: pack,
    isOptional: words.includes("optional"),
    isOverride: words.includes("override"),
    position,
  };
}

function readChoice(value: ConfigNode): string | string[] | null {
  if (value.kind === "scalar" && (typeof value.value === "string" || value.value === null)) return value.value;
  if (value.kind === "list") {
    return value.items.map((item) => {
      if (item.kind === "scalar" && typeof item.value === "string") return item.value;
      throw badChoice(item);
    });
  }
  throw badChoice(value);
}

// `override server/db@backup` → words, name and package.
function splitName(text: string): { words: string[]; name: string; pack: string | undefined } {
  const words = text.trim().split(/\s+/);
  const last = words.pop() ?? "";
  const at = last.indexOf("@");
  return at === -1
    ? { words, name: last, pack: undefined }
    : { words, name: last.slice(0, at), pack: last.slice(at + 1) };
}

function badEntry(item: ConfigNode) {
  return configError(item.position, `${pathOf(item)} is not an entry of a defaults list.`, {
    hint: "Write - group: choice, - override group: choice, - optional group: choice, - config, or - _self_.",
  });
}

function badChoice(value: ConfigNode) {
  return configError(value.position, `${pathOf(value)} is ${pythonText(value)}; the name of a config was expected.`, {
    hint: "Quote a name that looks like a number or a boolean; null means none.",
  });
}
