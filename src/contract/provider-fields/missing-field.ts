import { MillraceError } from "../../errors/errors.ts";

/** The error about a provider with a field that a worker cannot get. */
export function missingField(provider: string, [name, why]: readonly [name: string, why: string]): MillraceError {
  return new MillraceError("BAD_PROVIDER", `The field ${name} of ${provider} ${why}: a worker cannot get it.`, {
    hint: "Put the data it is made from into params (or config); or make it in buildEnvLocal and return it in the env. An instance can be passed if its class is exported and has `static module = import.meta.url`, toJSON() and a static from(json).",
  });
}
