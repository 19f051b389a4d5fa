import type { ConfigFiles } from "./config-files.ts";
import type { ConfigNode, ContainerNode, ScalarNode } from "./config-node.ts";
import type { Selection } from "./select-node.ts";

/** What a resolver can access at the position of its call. */
export interface ResolverContext {
  /** The value that contains the interpolation, and its section. */
  readonly at: ScalarNode;
  readonly parent: ContainerNode;
  readonly now: Date;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The files of the config. Undefined if an expression of no file is evaluated. */
  readonly files: ConfigFiles | undefined;
  /** Whether an argument, from 0, holds an interpolation. */
  readonly isComputed: (index: number) => boolean;
  /** Results of cached resolvers in this config. */
  readonly cache: Map<string, ConfigNode>;
  readonly select: (key: string) => Selection;
  /** The resolved value of a key in another file; "" is the whole file. */
  readonly selectInFile: (root: ConfigNode, key: string, path: string) => Selection;
  /** Resolves everything inside a node. */
  readonly resolve: (node: ConfigNode) => ConfigNode;
  /** Parses a string as an argument of a resolver. */
  readonly decode: (text: string) => ConfigNode;
}

/** A resolver that is part of the language, with its minimum and maximum number of arguments. */
export interface BuiltInResolver {
  readonly min: number;
  readonly max: number;
  readonly call: (args: readonly ConfigNode[], context: ResolverContext) => ConfigNode;
}
