import { expressionOf, joinExpression, type Origin, type ReadVariable } from "../secrets/origins.ts";
import { type ConfigNode, makeScalar, type ScalarNode, type SourcePosition } from "./config-node.ts";

/** The value of a variable, with its origin. */
export function scalarOfVariable(variable: ReadVariable, position: SourcePosition): ScalarNode {
  const origin = { expression: expressionOf(variable), variables: [variable] };
  return { ...makeScalar(variable.value, position, true), origin };
}

/** The origin of a string that was joined from plain parts and other values. */
export function joinOrigins(
  parts: readonly (string | { readonly node: ConfigNode; readonly text: string })[],
): Origin | undefined {
  const origins = parts.flatMap((part) =>
    typeof part === "string" || part.node.origin === undefined ? [] : [part.node.origin],
  );
  if (origins.length === 0) return undefined;
  const pieces: (string | { readonly expression: string })[] = [];
  for (const part of parts) {
    const piece = typeof part === "string" ? part : part.node.origin === undefined ? part.text : part.node.origin;
    if (typeof piece === "object") pieces.push({ expression: piece.expression ?? "" });
    else if (typeof pieces.at(-1) === "string") pieces.push(`${pieces.pop() as string}${piece}`);
    else pieces.push(piece);
  }
  const isKnown = origins.every(({ expression }) => expression !== undefined);
  return {
    expression: isKnown ? joinExpression(pieces) : undefined,
    variables: origins.flatMap(({ variables }) => variables),
  };
}

/** Marks what a built-in resolver made from an environment string: the value and all its parts come from there. */
export function markMade(made: ConfigNode, resolver: "oc.decode" | "oc.create", text: ConfigNode): ConfigNode {
  const { origin } = text;
  if (origin === undefined) return made;
  const { expression, variables } = origin;
  // Then parts of it come from the config itself.
  const hasReferences = text.kind === "scalar" && typeof text.value === "string" && text.value.includes("${");
  if (hasReferences) return { ...made, origin: { expression: undefined, variables } };
  const argument = expression === undefined ? undefined : asArgument(expression);
  markUnknown(made, variables);
  made.origin = { expression: argument === undefined ? undefined : `\${${resolver}:${argument}}`, variables };
  return made;
}

/** Marks a new node and everything in it as made from these variables in a way that no expression can reproduce. */
export function markUnknown(node: ConfigNode, variables: readonly ReadVariable[]): ConfigNode {
  if (variables.length === 0) return node;
  node.origin = { expression: undefined, variables };
  for (const child of childrenOf(node)) markUnknown(child, variables);
  return node;
}

/** The variables from which any part of a node was made. */
export function variablesIn(node: ConfigNode): ReadVariable[] {
  const variables = node.origin?.variables ?? [];
  return variables.length > 0 ? [...variables] : childrenOf(node).flatMap(variablesIn);
}

function childrenOf(node: ConfigNode): ConfigNode[] {
  if (node.kind === "scalar") return [];
  return node.kind === "list" ? node.items : [...node.entries.values()];
}

// A single interpolation is passed as it is; a string is quoted, unless quoting would change it.
function asArgument(expression: string): string | undefined {
  if (/^\$\{[\w.]+:\w+\}$/.test(expression)) return expression;
  return /["\\]/.test(expression) ? undefined : `"${expression}"`;
}
