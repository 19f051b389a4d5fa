import { MillraceError, messageOf } from "../shared/errors.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { callResolver } from "./call-resolver.ts";
import { configError, quote } from "./config-error.ts";
import {
  type ConfigNode,
  type ContainerNode,
  isInterpolation,
  isMissing,
  makeList,
  makeMap,
  makeScalar,
  pathOf,
  type ScalarNode,
  type SourcePosition,
} from "./config-node.ts";
import { type Element, type Interpolation, parseElement, parseText, type TextExpression } from "./parse-expression.ts";
import { pythonText } from "./python-text.ts";
import type { ResolverContext } from "./resolver-context.ts";
import { describeFailure, type SelectFailure, type Selection, selectNode } from "./select-node.ts";
import { BadSyntax } from "./tokenize.ts";

export interface ResolveOptions {
  /** Leaves `???` as it is instead of refusing it. */
  readonly allowMissing?: boolean;
  /** The time of `${now:…}`: one for the whole config. */
  readonly now: Date;
  readonly env: Readonly<Record<string, string | undefined>>;
}

// A text or a config that grows beyond these out of interpolations was made to do so.
const maxTextLength = 1_000_000;
const maxNodes = 1_000_000;
const maxChain = 500;

/** Follows every interpolation of a config. The result is a new tree without any; equal parts may be shared in it. */
export function resolveConfig(root: ConfigNode, options: ResolveOptions): ConfigNode {
  return new Resolution(options).resolveAll(root);
}

/** What an interpolation that is written at a node leads to, or undefined where it leads nowhere. */
export function tryDereference(node: ConfigNode, options: ResolveOptions): ConfigNode | undefined {
  try {
    return new Resolution(options).dereference(node);
  } catch (error) {
    if (error instanceof MillraceError) return undefined;
    throw error;
  }
}

/** One pass over one config: every value is worked out once. */
class Resolution {
  readonly #options: ResolveOptions;
  readonly #dereferenced = new Map<ConfigNode, ConfigNode>();
  readonly #resolved = new Map<ConfigNode, { node: ConfigNode; size: number }>();
  readonly #chain: ConfigNode[] = [];
  readonly #cache = new Map<string, ConfigNode>();

  constructor(options: ResolveOptions) {
    this.#options = options;
  }

  resolveAll(root: ConfigNode): ConfigNode {
    return this.#resolve(root).node;
  }

  // The size counts what is shared as often as it appears: that is what a reader of the config will meet.
  #resolve(written: ConfigNode): { node: ConfigNode; size: number } {
    const known = this.#resolved.get(written);
    if (known !== undefined) return known;
    if (isMissing(written) && this.#options.allowMissing !== true) throw missingError(written);
    const found = this.dereference(written);
    const result = found === written ? this.#follow(found, () => this.#resolveInside(found)) : this.#resolve(found);
    if (result.size > maxNodes) throw tooLarge(written, `more than ${maxNodes.toLocaleString("en")} values`);
    // What is reached from elsewhere keeps the place where it was asked for.
    const node = found === written ? result.node : { ...result.node, position: written.position };
    const own = { node, size: result.size };
    this.#resolved.set(written, own);
    return own;
  }

  #resolveInside(node: ConfigNode): { node: ConfigNode; size: number } {
    if (node.kind === "scalar") return { node, size: 1 };
    let size = 1;
    const copy = node.kind === "map" ? makeMap(node.position) : makeList(node.position);
    const put = (key: string | number, child: ConfigNode) => {
      const inner = this.#resolve(child);
      size += inner.size;
      if (copy.kind === "map") copy.entries.set(key as string, inner.node);
      else copy.items.push(inner.node);
    };
    if (node.kind === "map") for (const [key, child] of node.entries) put(key, child);
    else for (const [i, child] of node.items.entries()) put(i, child);
    return { node: copy, size };
  }

  /** The node an interpolation leads to; any other node is itself. */
  dereference(node: ConfigNode): ConfigNode {
    if (!isInterpolation(node)) return node;
    const known = this.#dereferenced.get(node);
    if (known !== undefined) return known;
    const found = this.#follow(node, () => {
      const expression = parseOrRefuse(node, () => parseText(node.value));
      return this.#evaluateText(expression, node);
    });
    this.#dereferenced.set(node, found);
    return found;
  }

  /** Keeps track of what is being worked out, so that a circle is found and can be shown. */
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
    for (const part of parts) {
      text += typeof part === "string" ? part : pythonText(this.#evaluate(part, at));
      if (text.length > maxTextLength)
        throw tooLarge(at, `a text of more than ${maxTextLength.toLocaleString("en")} characters`);
    }
    return makeScalar(text, at.position, true);
  }

  #evaluate(interpolation: Interpolation, at: ScalarNode): ConfigNode {
    if (interpolation.kind === "key") {
      return this.#lookUp(this.#joinKey(interpolation.parts, at, "a key"), at);
    }
    const name = this.#joinKey(interpolation.name, at, "the name of a resolver");
    const args = interpolation.args.map((element) => this.#evaluateElement(element, at));
    return callResolver(name, args, this.#contextOf(at));
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
    if ("failure" in selection) throw lookUpError(key, selection.failure, at);
    for (let above: ContainerNode | undefined = at.parent; above !== undefined; above = above.parent) {
      if (above === selection.node) throw cycleError([selection.node, at, selection.node]);
    }
    return selection.node;
  }

  #select(key: string, at: ScalarNode): Selection {
    return selectNode(requireParent(at), key, (node) => this.dereference(node));
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

  #contextOf(at: ScalarNode): ResolverContext {
    return {
      at,
      parent: requireParent(at),
      now: this.#options.now,
      env: this.#options.env,
      cache: this.#cache,
      select: (key) => this.#select(key, at),
      resolve: (node) => this.resolveAll(node),
      decode: (text) =>
        this.#evaluateElement(
          parseOrRefuse(at, () => parseElement(text)),
          at,
        ),
    };
  }
}

function requireParent(node: ConfigNode): ContainerNode {
  if (node.parent === undefined) throw new Error("an interpolation stands in no section");
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

function lookUpError(key: string, failure: SelectFailure, at: ScalarNode): MillraceError {
  const names =
    failure.kind === "absent" && failure.container.kind === "map" ? [...failure.container.entries.keys()] : [];
  const near = failure.kind === "absent" ? nearestName(failure.key, names) : undefined;
  return configError(at.position, `${pathOf(at)}: \${${key}} leads nowhere: ${describeFailure(failure)}.`, {
    hint: adviceOn(failure, near),
  });
}

function adviceOn(failure: SelectFailure, near: string | undefined): string {
  if (near !== undefined) return `Did you mean ${near}?`;
  if (failure.kind !== "missing")
    return "Keys start at the top of the config; with a dot in front, at the section the value stands in.";
  const key = pathOf(failure.node);
  return `Give it in the config or on the command line: ${key}=VALUE. Where it may be left out, write \${oc.select:${key},DEFAULT}.`;
}

function missingError(node: ConfigNode): MillraceError {
  return configError(node.position, `${pathOf(node)} is ???: it has to be given.`, {
    hint: `Give it in the config or on the command line: ${pathOf(node)}=VALUE.`,
  });
}

function cycleError(circle: readonly ConfigNode[]): MillraceError {
  return configError(circle[0]!.position, `The interpolations go in a circle: ${circle.map(pathOf).join(" -> ")}.`, {
    hint: "One of them needs a value of its own.",
  });
}

function tooLarge({ position }: { readonly position: SourcePosition }, what: string): MillraceError {
  return configError(position, `The interpolations make ${what} out of the config.`, {
    hint: "A config that grows like that was probably made to fill the memory.",
  });
}
