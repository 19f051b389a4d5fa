import { readFileSync } from "node:fs";
import { messageOf } from "../errors/errors.ts";
import {
  type ConfigNode,
  copyAsWritten,
  type MapNode,
  makeList,
  makeMap,
  makeScalar,
  pathOf,
  type ScalarNode,
  setEntry,
} from "./config-node.ts";
import { espnet3Resolvers } from "./espnet3-resolvers.ts";
import { formatDate } from "./format-date.ts";
import { markMade, scalarOfVariable } from "./node-origins.ts";
import { pythonText } from "./python-text.ts";
import { readYamlText } from "./read-yaml.ts";
import type { BuiltInResolver, ResolverContext } from "./resolver-context.ts";
import { describeFailure, type SelectFailure } from "./select-node.ts";

/** OmegaConf's resolvers, Hydra's `now` and those of ESPnet3. */
export const builtInResolvers: Readonly<Record<string, BuiltInResolver>> = {
  "oc.env": { min: 1, max: 2, call: readVariable },
  "oc.select": { min: 1, max: 2, call: selectWithDefault },
  "oc.decode": { min: 1, max: 1, call: decode },
  "oc.create": { min: 1, max: 1, call: create },
  "oc.deprecated": { min: 1, max: 2, call: useNewKey },
  "oc.dict.keys": { min: 1, max: 1, call: listKeys },
  "oc.dict.values": { min: 1, max: 1, call: listValues },
  secret: { min: 1, max: 1, call: readSecret },
  now: { min: 1, max: 1, call: formatNow },
  ...espnet3Resolvers,
};

// A default becomes a string, like a variable; only null stays null.
function readVariable([name, byDefault]: readonly ConfigNode[], { env, at }: ResolverContext): ConfigNode {
  const key = requireText(name!);
  const value = Object.hasOwn(env, key) ? env[key] : undefined;
  if (value !== undefined) return scalarOfVariable({ resolver: "oc.env", name: key, value }, at.position);
  if (byDefault === undefined)
    throw new Error(`the environment has no variable ${key}; a default is a second argument`);
  if (byDefault.kind === "scalar" && byDefault.value === null) return byDefault;
  return { ...makeScalar(pythonText(byDefault), at.position, true), origin: byDefault.origin };
}

/** The variable NAME, or the content of the file that NAME_FILE names. No default: a secret is never in the config. */
function readSecret([name]: readonly ConfigNode[], { env, at }: ResolverContext): ConfigNode {
  const key = requireText(name!);
  const value = env[key] || readSecretFile(env[`${key}_FILE`]);
  if (value) return scalarOfVariable({ resolver: "secret", name: key, value }, at.position);
  throw new Error(
    `the environment has neither a variable ${key} nor ${key}_FILE with the path of a file that holds it`,
  );
}

// Editors, `echo` and Kubernetes add a final line break that is not part of the secret.
function readSecretFile(path: string | undefined): string | undefined {
  return path ? readFileSync(path, "utf8").replace(/\r?\n$/, "") : undefined;
}

function selectWithDefault([key, byDefault]: readonly ConfigNode[], { select, at }: ResolverContext): ConfigNode {
  const selection = select(requireText(key!));
  if ("node" in selection) return selection.node;
  const { kind } = selection.failure;
  if (kind === "notIndex" || kind === "aboveTop") throw new Error(describeFailure(selection.failure));
  return byDefault ?? makeScalar(null, at.position, true);
}

function decode([text]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  if (text!.kind === "scalar" && text!.value === null) return text!;
  return markMade(context.decode(requireText(text!)), "oc.decode", text!);
}

/** Creates a section or list; interpolations in it are resolved relative to its position. */
function create([value]: readonly ConfigNode[], { at, parent }: ResolverContext): ConfigNode {
  const made = value!.kind === "scalar" && typeof value!.value === "string" ? readCreated(value!.value, at) : value!;
  if (made.kind === "scalar" && made.value !== null) throw new Error(`${pythonText(made)} is not a list or section`);
  const copy = copyAsWritten(made, at.position);
  copy.parent = parent;
  copy.key = at.key;
  return made === value ? copy : markMade(copy, "oc.create", value!);
}

// A string is parsed as YAML; a single word is a key without a value.
function readCreated(text: string, { position }: ScalarNode): ConfigNode {
  const made = readText(text);
  if (made.kind !== "scalar" || typeof made.value !== "string") return made;
  const map = makeMap(position);
  setEntry(map, made.value, makeScalar(null, position));
  return map;
}

function readText(text: string): ConfigNode {
  try {
    return readYamlText(text, "its text");
  } catch (error) {
    // The position in the config is not known here; the caller adds it to the message.
    throw new Error(messageOf(error).replace(/\.?$/, ""), { cause: error });
  }
}

function useNewKey([key, message]: readonly ConfigNode[], { select, at }: ResolverContext): ConfigNode {
  const newKey = requireText(key!);
  const template =
    message === undefined
      ? "'$OLD_KEY' is deprecated. Change your code and config to use '$NEW_KEY'"
      : requireText(message);
  const selection = select(newKey);
  const found = "node" in selection ? selection.node : missingIn(selection.failure);
  process.emitWarning(
    template.replaceAll("$OLD_KEY", () => pathOf(at)).replaceAll("$NEW_KEY", () => newKey),
    "DeprecationWarning",
  );
  return found;
}

// A value that is missing under its new key is missing under the old key too.
function missingIn(failure: SelectFailure): ConfigNode {
  if (failure.kind === "missing") return failure.node;
  throw new Error(describeFailure(failure));
}

function listKeys([key]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const list = makeList(context.at.position);
  for (const name of selectMap(key!, context).entries.keys()) {
    list.items.push(makeScalar(name, context.at.position, true));
  }
  return list;
}

function listValues([key]: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const list = makeList(context.at.position);
  // The unresolved nodes: each is resolved at its own position.
  list.items.push(...selectMap(key!, context).entries.values());
  return list;
}

function selectMap(key: ConfigNode, { select }: ResolverContext): MapNode {
  const selection = select(requireText(key));
  if ("failure" in selection) throw new Error(describeFailure(selection.failure));
  if (selection.node.kind !== "map") throw new Error(`${requireText(key)} is not a section`);
  return selection.node;
}

function formatNow([pattern]: readonly ConfigNode[], { now, at }: ResolverContext): ConfigNode {
  return makeScalar(formatDate(now, requireText(pattern!)), at.position, true);
}

function requireText(node: ConfigNode): string {
  if (node.kind === "scalar" && typeof node.value === "string") return node.value;
  throw new Error(`${pythonText(node)} is not a text`);
}
