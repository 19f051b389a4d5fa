import { MillraceError } from "../../errors/errors.ts";
import { nearestName } from "../../text/nearest-name.ts";
import { describeKind, isPlainObject } from "../../values/state-json.ts";
import { requireAnnounced } from "../source/remote-address.ts";

/** The arguments of an opener from a config: one section with the path beside the options. */
export type OpenerSection<Options> = Options & { readonly path: string };

/**
 * Path and options of a call, which are one section where a config makes it: `{ _target_: …, path: data.jsonl }`. Unknown
 * options, and an address that was not announced with `remote: true`, are refused.
 */
export function readOpenerArguments<Options extends object>(
  opener: string,
  [first, second]: readonly [first: unknown, second?: Options | undefined],
  known: readonly (keyof Options & string)[],
  { takesAddresses = false }: { readonly takesAddresses?: boolean } = {},
): { readonly path: string; readonly options: Options } {
  const isSection = isPlainObject(first);
  const { path, ...rest } = isSection ? (first as Record<string, unknown>) : { path: first };
  if (typeof path !== "string" || path === "") {
    throw new MillraceError("BAD_OPTION", `${opener}: the path is ${describeKind(path)}; a text was expected.`, {
      hint: `Write await ${opener}("data/train"), or { _target_: millrace/datasets#${opener}, path: data/train } in a config.`,
    });
  }
  const options = (isSection ? rest : (second ?? {})) as Options & { readonly remote?: boolean };
  const names = [...known, "remote"];
  const unknown = Object.keys(options).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    const near = nearestName(unknown, names);
    throw new MillraceError("BAD_OPTION", `${opener}: option ${JSON.stringify(unknown)} is not known.`, {
      hint: near === undefined ? `Known: ${names.join(", ")}.` : `Did you mean ${near}?`,
    });
  }
  if (!takesAddresses) requireAnnounced(opener, path, options);
  return { path, options };
}
