import { MillraceError } from "../../errors/errors.ts";

/** The refusal of a provider of which a worker would have only a part. */
export function missingField(provider: string, [name, why]: readonly [name: string, why: string]): MillraceError {
  return new MillraceError("BAD_PROVIDER", `The field ${name} of ${provider} ${why}: a worker cannot get it.`, {
    hint: "Put what it is made of into params (or config), as data; or make it in buildEnvLocal and return it in the env. An instance can be handed over if its class is exported and has `static module = import.meta.url`, toJSON() and a static from(json).",
  });
}
