import { MillraceError, messageOf } from "../errors/errors.ts";
import { nearestName } from "../text/nearest-name.ts";
import { describeKind } from "../values/state-json.ts";
import { builtInResolvers } from "./built-in-resolvers.ts";
import { configError } from "./config-error.ts";
import { type ConfigNode, pathOf } from "./config-node.ts";
import { fromPlain } from "./from-plain.ts";
import { markUnknown, variablesIn } from "./node-origins.ts";
import type { BuiltInResolver, ResolverContext } from "./resolver-context.ts";
import { findResolver, type Resolver, resolverNames } from "./resolvers.ts";
import { toPlain } from "./to-plain.ts";

/** Calls the resolver of an interpolation. Registered resolvers take precedence over built-in ones. */
export function callResolver(name: string, args: readonly ConfigNode[], context: ResolverContext): ConfigNode {
  const custom = findResolver(name);
  const builtIn = Object.hasOwn(builtInResolvers, name) ? builtInResolvers[name] : undefined;
  if (custom === undefined && builtIn === undefined) throw unknownResolver(name, context);
  try {
    return custom === undefined ? callBuiltIn(builtIn!, args, context) : callCustom(name, custom, args, context);
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw configError(context.at.position, `${pathOf(context.at)}: \${${name}:…} failed: ${messageOf(cause)}.`, {
      cause,
      hint: `Check what is handed to ${name}, here in the config.`,
    });
  }
}

function callBuiltIn({ call, min, max }: BuiltInResolver, args: readonly ConfigNode[], context: ResolverContext) {
  if (args.length < min || args.length > max) {
    throw new Error(`it takes ${min === max ? min : `${min} to ${max}`} arguments and got ${args.length}`);
  }
  return call(args, context);
}

function callCustom(
  name: string,
  resolver: Resolver,
  args: readonly ConfigNode[],
  context: ResolverContext,
): ConfigNode {
  const plain = args.map((arg) => toPlain(context.resolve(arg)));
  const cacheKey = resolver.useCache ? `${name}:${JSON.stringify(plain)}` : undefined;
  const known = cacheKey === undefined ? undefined : context.cache.get(cacheKey);
  if (known !== undefined) return known;
  const made = fromPlain(resolver.call(...plain), {
    position: context.at.position,
    refuse: (value) => {
      throw new Error(
        `it gave ${describeKind(value)}; a config holds texts, numbers, booleans, null, lists and sections of them`,
      );
    },
  });
  const answer = markUnknown(made, args.flatMap(variablesIn));
  if (cacheKey !== undefined) context.cache.set(cacheKey, answer);
  return answer;
}

function unknownResolver(name: string, { at, files }: ResolverContext): MillraceError {
  if (name === "hydra") {
    throw configError(at.position, `${pathOf(at)}: there is no resolver hydra: Hydra itself does not run here.`, {
      hint: `Write the value, or take it from elsewhere: \${oc.env:PWD} is the folder a command was started in, \${now:%Y-%m-%d} the day.`,
    });
  }
  if (files?.skippedSetup !== undefined) {
    return configError(at.position, `${pathOf(at)}: there is no resolver ${name}.`, {
      hint: `This command runs no code of the project, and so not ${files.skippedSetup}. millrace plan CONFIG --count runs it.`,
    });
  }
  const known = resolverNames();
  const near = name === "env" ? "oc.env" : nearestName(name, known);
  return configError(at.position, `${pathOf(at)}: there is no resolver ${name}.`, {
    hint:
      near === undefined
        ? `Known: ${known.join(", ")}; registerResolver adds one, for the command line in millrace.setup.js of the project.`
        : `Did you mean ${near}? Known: ${known.join(", ")}.`,
  });
}
