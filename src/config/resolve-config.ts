import { MillraceError, messageOf } from "../errors/errors.ts";
import { callResolver } from "./call-resolver.ts";
import { configError, quote } from "./config-error.ts";
import type { ConfigFiles } from "./config-files.ts";
import {
  type ConfigNode,
  type ContainerNode,
  isInterpolation,
  isMissing,
  makeFailed,
  makeList,
  makeMap,
  makeScalar,
  pathOf,
  type ScalarNode,
  type SourcePosition,
} from "./config-node.ts";
import { joinOrigins } from "./node-origins.ts";
import { type Element, type Interpolation, parseElement, parseText, type TextExpression } from "./parse-expression.ts";
import { pythonText } from "./python-text.ts";
import { cycleError, lookUpError, missingError } from "./resolution-errors.ts";
import type { ResolverContext } from "./resolver-context.ts";
import { type Selection, selectNode } from "./select-node.ts";
import { BadSyntax } from "./tokenize.ts";

export interface ResolveOptions {
  /** Keeps `???` instead of refusing it. */
  readonly allowMissing?: boolean;
  /** The time of `${now:…}`: one for the whole config. */
  readonly now: Date;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The files that the config was read from, for the resolvers that know or read files. */
  readonly files?: ConfigFiles;
  /** A value that cannot be resolved is an error where it is read, instead of an error of the whole config. */
  readonly isLazy?: boolean;
}

// Errors that are never put off: syntax errors, and configs that were made to fill the memory.
const refusals = new WeakSet<MillraceError>();

// Interpolations that produce more than this are an attack.
const maxTextLength = 1_000_000;
const maxNodes = 1_000_000;
const maxChain = 500;

/** Resolves every interpolation of a config. The result is a new tree without any; equal parts may be shared in it. */
export function resolveConfig(root: ConfigNode, options: ResolveOptions): ConfigNode {
  return new Resolution(options).resolveAll(root);
}

/** The node to which an interpolation at a node refers. Undefined if there is none. */
export function tryDereference(node: ConfigNode, options: ResolveOptions): ConfigNode | undefined {
  try {
    return new Resolution(options).dereference(node);
  } catch (error) {
    if (error instanceof MillraceError) return undefined;
    throw error;
  }
}

/** One pass over one config: every value is resolved once. */
class Resolution {
  readonly #options: ResolveOptions;
  readonly #dereferenced = new Map<ConfigNode, ConfigNode>();
  readonly #failed = new Map<ConfigNode, MillraceError>();
  readonly #resolved = new Map<ConfigNode, { node: ConfigNode; size: number }>();
  readonly #chain: ConfigNode[] = [];
  readonly #cache = new Map<string, ConfigNode>();

  constructor(options: ResolveOptions) {
    this.#options = options;
  }

  resolveAll(root: ConfigNode): ConfigNode {
    return this.#resolve(root).node;
  }

  // Shared parts count as often as they occur: that is the size a reader sees.
  #resolve(written: ConfigNode): { node: ConfigNode; size: number } {
    const known = this.#resolved.get(written);
    if (known !== undefined) return known;
    if (isMissing(written) && this.#options.allowMissing !== true) throw missingError(written);
    const found = this.dereference(written);
    const result = found === written ? this.#follow(found, () => this.#resolveInside(found)) : this.#resolve(found);
    if (result.size > maxNodes) throw tooLarge(written, `more than ${maxNodes.toLocaleString("en")} values`);
    // A node reached from elsewhere keeps the position of the interpolation.
    const node = found === written ? result.node : { ...result.node, position: written.position };
    const resolved = { node, size: result.size };
    this.#resolved.set(written, resolved);
    return resolved;
  }

  #resolveInside(node: ConfigNode): { node: ConfigNode; size: number } {
    if (node.kind === "scalar") return { node, size: 1 };
    let size = 1;
    const copy = node.kind === "map" ? makeMap(node.position) : makeList(node.position);
    const put = (key: string | number, child: ConfigNode) => {
      const inner = this.#resolveOrDefer(child);
      size += inner.size;
      if (copy.kind === "map") copy.entries.set(key as string, inner.node);
      else copy.items.push(inner.node);
    };
    if (node.kind === "map") for (const [key, child] of node.entries) put(key, child);
    else for (const [i, child] of node.items.entries()) put(i, child);
    return { node: { ...copy, origin: node.origin }, size };
  }

  #resolveOrDefer(child: ConfigNode): { node: ConfigNode; size: number } {
    try {
      return this.#resolve(child);
    } catch (error) {
      const isDeferred = this.#options.isLazy && error instanceof MillraceError && !refusals.has(error);
      if (!isDeferred) throw error;
      return { node: makeFailed(error, child.position), size: 1 };
    }
  }

  /** The target of an interpolation; any other node is returned unchanged. */
  dereference(node: ConfigNode): ConfigNode {
    if (!isInterpolation(node)) return node;
    const known = this.#dereferenced.get(node);
    if (known !== undefined) return known;
    const failed = this.#failed.get(node);
    if (failed !== undefined) throw failed;
    try {
      const found = this.#follow(node, () => this.#evaluateText(parseWritten(node), node));
      this.#dereferenced.set(node, found);
      return found;
    } catch (error) {
      // A long chain of references to it fails once, not once for each of them.
      if (error instanceof MillraceError) this.#failed.set(node, error);
      throw error;
    }
  }

  /** Tracks the values being resolved, so that a cycle is detected and can be shown. */
  #follow<T>(node: ConfigNode, work: () => T): T {
    if (node.kind === "scalar" && !isInterpolation(node)) return work();
    const start = this.#chain.indexOf(node);
    if (start !== -1) throw cycleError([...this.#chain.slice(start), node]);
    if (this.#chain.length >= maxChain) throw tooLarge(node, `a chain of more than ${maxChain} interpolations`);
    this.#chain.push(node);
    try {
      return work();
    } finally {
      this.#chain.pop();
    }
  }

  #evaluateText({ parts, isQuoted }: TextExpression, at: ScalarNode): ConfigNode {
    const [only] = parts;
    if (parts.length === 1 && typeof only === "object" && !isQuoted) return this.#evaluate(only, at);
    let text = "";
    const evaluated = parts.map((part) => {
      const node = typeof part === "string" ? undefined : this.#evaluate(part, at);
      const piece = node === undefined ? (part as string) : pythonText(node);
      text += piece;
      if (text.length > maxTextLength)
        throw tooLarge(at, `a text of more than ${maxTextLength.toLocaleString("en")} characters`);
      return node === undefined ? piece : { node, text: piece };
    });
    return { ...makeScalar(text, at.position, true), origin: joinOrigins(evaluated) };
  }

  #evaluate(interpolation: Interpolation, at: ScalarNode): ConfigNode {
    if (interpolation.kind === "key") {
      return this.#lookUp(this.#joinKey(interpolation.parts, at, "a key"), at);
    }
    const name = this.#joinKey(interpolation.name, at, "the name of a resolver");
    const args = interpolation.args.map((element) => this.#evaluateElement(element, at));
    return callResolver(name, args, this.#contextOf(at, interpolation.args));
  }

  #joinKey(parts: readonly (string | Interpolation)[], at: ScalarNode, what: string): string {
    const texts = parts.map((part) => {
      if (typeof part === "string") return part;
      const value = this.#evaluate(part, at);
      if (value.kind === "scalar" && typeof value.value === "string") return value.value;
      throw configError(
        at.position,
        `${pathOf(at)}: an interpolation inside ${what} gives ${quote(pythonText(value))}, which is not a text.`,
        {
          hint: `It is in ${quote(String(at.value))}. Quote the value it leads to if it is a number.`,
        },
      );
    });
    return texts.join("");
  }

  #lookUp(key: string, at: ScalarNode): ConfigNode {
    const selection = this.#select(key, at);
    if ("failure" in selection) throw lookUpError(key, selection.failure, { at, files: this.#options.files });
    for (let above: ContainerNode | undefined = at.parent; above !== undefined; above = above.parent) {
      if (above === selection.node) throw cycleError([selection.node, at, selection.node]);
    }
    return selection.node;
  }

  #select(key: string, at: ScalarNode): Selection {
    return selectNode(requireParent(at), key, (node) => this.dereference(node));
  }

  #selectInFile(root: ConfigNode, key: string, path: string): Selection {
    const files = this.#options.files;
    const inside = files && { ...files, hasTemplate: false, open: [...files.open, path] };
    const other = new Resolution({ ...this.#options, ...(inside && { files: inside }) });
    if (root.kind === "scalar") return { node: root };
    const selection = selectNode(root, key, (node) => other.dereference(node));
    return "failure" in selection ? selection : { node: other.resolveAll(selection.node) };
  }

  #evaluateElement(element: Element, at: ScalarNode): ConfigNode {
    switch (element.kind) {
      case "literal":
        return makeScalar(element.value, at.position, true);
      case "text":
        return this.#evaluateText(element, at);
      case "list": {
        const list = makeList(at.position);
        for (const item of element.items) list.items.push(this.#evaluateElement(item, at));
        return list;
      }
      case "dict": {
        const map = makeMap(at.position);
        for (const [key, entry] of element.entries) map.entries.set(key, this.#evaluateElement(entry, at));
        return map;
      }
    }
  }

  #contextOf(at: ScalarNode, written: readonly Element[]): ResolverContext {
    return {
      at,
      parent: requireParent(at),
      now: this.#options.now,
      env: this.#options.env,
      files: this.#options.files,
      isComputed: (index) => isComputed(written[index]),
      cache: this.#cache,
      select: (key) => this.#select(key, at),
      selectInFile: (root, key, path) => this.#selectInFile(root, key, path),
      resolve: (node) => this.resolveAll(node),
      decode: (text) =>
        this.#evaluateElement(
          parseOrRefuse(at, () => parseElement(text)),
          at,
        ),
    };
  }
}

function isComputed(element: Element | undefined): boolean {
  return element?.kind === "text" && element.parts.some((part) => typeof part !== "string");
}

function parseWritten(node: ScalarNode & { readonly value: string }): TextExpression {
  try {
    return parseOrRefuse(node, () => parseText(node.value));
  } catch (error) {
    if (error instanceof MillraceError) refusals.add(error);
    throw error;
  }
}

function requireParent(node: ConfigNode): ContainerNode {
  if (node.parent === undefined) throw new Error("an interpolation has no parent section");
  return node.parent;
}

function parseOrRefuse<T>(at: ScalarNode, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof BadSyntax)) throw error;
    throw configError(
      at.position,
      `${pathOf(at)}: ${quote(String(at.value))} is not a valid interpolation: ${messageOf(error)} (character ${error.at + 1}).`,
      {
        hint: `Write \${section.key} or \${resolver:argument}; a text that really holds \${ is written \\\${.`,
      },
    );
  }
}

function tooLarge({ position }: { readonly position: SourcePosition }, what: string): MillraceError {
  const refusal = configError(position, `The interpolations make ${what} out of the config.`, {
    hint: "A config that grows like that was probably made to fill the memory.",
  });
  refusals.add(refusal);
  return refusal;
}
