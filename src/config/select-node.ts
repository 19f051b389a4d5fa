import { type ConfigNode, type ContainerNode, isMissing, pathOf } from "./config-node.ts";

/** Why a key cannot be resolved. Some callers have a default for that. */
export type SelectFailure =
  | { readonly kind: "absent"; readonly container: ContainerNode; readonly key: string }
  | { readonly kind: "aboveTop" }
  | { readonly kind: "notContainer"; readonly node: ConfigNode; readonly key: string }
  | { readonly kind: "notIndex"; readonly node: ConfigNode; readonly key: string }
  | { readonly kind: "missing"; readonly node: ConfigNode };

export type Selection = { readonly node: ConfigNode } | { readonly failure: SelectFailure };

/** Follows a key (`a.b[0]`, or `.a`, `..a` from a container) to its node, resolving interpolations on the way. */
export function selectNode(from: ContainerNode, key: string, dereference: (node: ConfigNode) => ConfigNode): Selection {
  const start = findStart(from, key);
  if (start === undefined) return { failure: { kind: "aboveTop" } };
  const steps = splitKey(start.key);
  if (steps.length === 0 && start.key !== "") {
    return { failure: { kind: "absent", container: start.container, key: start.key } };
  }
  let node: ConfigNode = start.container;
  for (const step of steps) {
    if (node.kind === "scalar") return { failure: { kind: "notContainer", node, key: step } };
    if (node.kind === "list" && !/^\s*[-+]?\d+\s*$/.test(step))
      return { failure: { kind: "notIndex", node, key: step } };
    const child: ConfigNode | undefined = node.kind === "list" ? node.items[Number(step)] : node.entries.get(step);
    if (child === undefined) return { failure: { kind: "absent", container: node, key: step } };
    if (isMissing(child)) return { failure: { kind: "missing", node: child } };
    node = dereference(child);
  }
  return { node };
}

/** A relative key starts at the container; each additional dot goes one level up. Any other key starts at the root. */
function findStart(from: ContainerNode, key: string): { container: ContainerNode; key: string } | undefined {
  let container: ContainerNode | undefined = from;
  if (!key.startsWith(".")) {
    while (container.parent !== undefined) container = container.parent;
    return { container, key };
  }
  let rest = key.slice(1);
  for (; rest.startsWith("."); rest = rest.slice(1)) {
    container = container.parent;
    if (container === undefined) return undefined;
  }
  return { container, key: rest };
}

/** The steps of a key: `a.b[0]` and `a[b].0` are both three. */
export function splitKey(key: string): string[] {
  if (key === "") return [];
  const head = /^[^.[]*/.exec(key)![0];
  const rest = key.slice(head.length);
  const steps = [...rest.matchAll(/\.([^.[]*)|\[(.*?)\]/g)].map(([, dotted, inBrackets]) => dotted || inBrackets || "");
  return head === "" && rest.startsWith("[") ? steps : [head, ...steps];
}

/** Describes the failure, to follow "…: `${key}`". */
export function describeFailure(failure: SelectFailure): string {
  switch (failure.kind) {
    case "absent":
      return failure.container.parent === undefined
        ? `there is no key ${failure.key}`
        : `there is no ${failure.container.kind === "list" ? `item ${failure.key}` : `key ${failure.key}`} in ${pathOf(failure.container)}`;
    case "aboveTop":
      return "it has more dots than there are levels above it";
    case "notContainer":
      return `${pathOf(failure.node)} is a single value and has no ${failure.key}`;
    case "notIndex":
      return `${pathOf(failure.node)} is a list, and ${failure.key} is not a number`;
    case "missing":
      return `${pathOf(failure.node)} is ??? and has to be given`;
  }
}
