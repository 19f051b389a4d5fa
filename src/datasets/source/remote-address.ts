import { MillraceError } from "../../errors/errors.ts";

/** Whether a text is an address of a file that is read over the network, and not a path. */
export function isRemote(place: string): boolean {
  return /^(?:https?|s3|hf):\/\//.test(place);
}

/** An address as messages may show it: what may be a password, a token or a signature is left out. */
export function withoutSecrets(address: string): string {
  return address
    .replace(/^(https?:\/\/)[^/?#]*@/, "$1")
    .replace(/^(https?:[^?#]*)\?.*$/s, "$1?…")
    .replace(/^(https?:[^#]*)#.*$/s, "$1");
}

/** Every opener has this option: with `remote: true` its rows may be promises, without it they are there at once. */
export interface RemoteOption {
  /** The path is, or may be, an address: `https://`, `s3://` or `hf://`. An address is refused without it. */
  readonly remote: true;
}

/**
 * Refuses an address where the caller has not asked for one: by their types rows are there at once, and those of an
 * address are not.
 */
export function requireAnnounced(opener: string, place: string, { remote }: { readonly remote?: boolean }): void {
  if (remote === true || !isRemote(place)) return;
  throw new MillraceError(
    "BAD_OPTION",
    `${opener}: ${withoutSecrets(place)} is an address; a path was expected here.`,
    {
      hint: `Rows of an address come as promises. Say so: ${opener}(address, { remote: true }), then await dataset.at(i).`,
    },
  );
}
