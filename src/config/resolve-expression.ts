import { type Origin, originOf } from "../secrets/origins.ts";
import { makeMap, makeScalar, setEntry } from "./config-node.ts";
import { resolveConfig } from "./resolve-config.ts";
import { toPlain } from "./to-plain.ts";

/** Evaluates an expression of a run folder in the environment of this process. */
export function resolveExpression(
  expression: string,
  key: string,
): { readonly value: unknown; readonly origin: Origin | undefined } {
  const position = { source: key };
  const root = makeMap(position);
  setEntry(root, key, makeScalar(expression, position));
  const plain = toPlain(resolveConfig(root, { now: new Date(), env: process.env })) as Record<string, unknown>;
  return { value: plain[key], origin: originOf(plain, key, plain[key]) };
}
