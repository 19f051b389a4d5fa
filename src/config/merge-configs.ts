import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";
import type { ConfigNode, MapNode } from "./config-node.ts";
import { fromPlain } from "./from-plain.ts";
import { mergeNodes } from "./merge-nodes.ts";
import { positionOf } from "./position-of.ts";
import { toPlain } from "./to-plain.ts";

/**
 * Merges configs; later ones take precedence, as in `OmegaConf.merge`: sections are merged key by key, lists and single
 * values replaced; `???` replaces nothing. The configs are not changed; interpolations in them are not resolved.
 */
export function mergeConfigs<T = Record<string, unknown>>(...configs: readonly object[]): T {
  const [first, ...others] = configs.map(toNode);
  if (first === undefined)
    throw new MillraceError("BAD_OPTION", "mergeConfigs needs at least one config.", {
      hint: "Pass the config that the others change first: mergeConfigs(base, changes).",
    });
  for (const other of others) mergeNodes(first, other, { follow: () => undefined });
  return toPlain(first) as T;
}

function toNode(config: object, index: number): MapNode {
  const node: ConfigNode = fromPlain(config, {
    position: positionOf(config) ?? { source: `config ${index + 1} of mergeConfigs` },
    isResult: false,
    refuse: (value) => {
      throw new MillraceError("BAD_OPTION", `Config ${index + 1} of mergeConfigs holds ${describeKind(value)}.`, {
        hint: "A config holds texts, numbers, booleans, null, lists and sections of them.",
      });
    },
  });
  if (node.kind !== "map") {
    throw new MillraceError(
      "BAD_OPTION",
      `Config ${index + 1} of mergeConfigs is ${describeKind(config)}, not a section.`,
      { hint: "Pass objects: mergeConfigs(base, { batch_size: 8 })." },
    );
  }
  return node;
}
