import type { ConfigNode, ContainerNode, ScalarNode } from "./config-node.ts";
import type { Selection } from "./select-node.ts";

/** What a resolver can know about the place it is called at. */
export interface ResolverContext {
  /** The value that holds the interpolation, and the section it stands in. */
  readonly at: ScalarNode;
  readonly parent: ContainerNode;
  readonly now: Date;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What cached resolvers have answered in this config. */
  readonly cache: Map<string, ConfigNode>;
  readonly select: (key: string) => Selection;
  /** Follows everything inside a node. */
  readonly resolve: (node: ConfigNode) => ConfigNode;
  /** Reads a text as an argument of a resolver. */
  readonly decode: (text: string) => ConfigNode;
}
