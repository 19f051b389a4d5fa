import { nearestName } from "../text/nearest-name.ts";
import { isPlainObject } from "../values/state-json.ts";

/** Says which keys were read from an env that does not have them. */
export interface MissingKeys {
  /** A sentence for an error message, or undefined where every key that was read is there. */
  explain(): string | undefined;
  /** Leaves the env as it was: it may be the user's own object, a config for one. */
  stop(): void;
}

/**
 * Notes reads of keys that the provider did not build, so that the error of a failing `forward` can say "did you mean `model`".
 * The watch sits behind the env, as its prototype: reading a key that is there costs nothing extra, and an optional
 * key that is not there stays undefined.
 */
export function watchMissingKeys(env: object): MissingKeys {
  const missing: Missing = { keys: new Set(), reads: 0 };
  // A provider may hand out the same env again, which is watched already.
  const isWatched = Object.getPrototypeOf(env) === watch;
  if (isWatched || (isPlainObject(env) && Object.isExtensible(env))) {
    missingOf.set(env, missing);
    if (!isWatched) Object.setPrototypeOf(env, watch);
  }
  return {
    stop() {
      if (Object.getPrototypeOf(env) === watch) Object.setPrototypeOf(env, Object.prototype);
    },
    explain() {
      if (missing.keys.size === 0) return undefined;
      const known = Object.keys(env);
      const parts = [...missing.keys].map((key) => {
        const near = nearestName(key, known) ?? known.find((name) => isShortFor(key, name) || isShortFor(name, key));
        return near === undefined ? `\`${key}\`` : `\`${key}\` (did you mean \`${near}\`?)`;
      });
      return `forward read ${parts.join(", ")}, which the provider does not build; it builds ${known.join(", ")}`;
    },
  };
}

/** Whether a name is another one with letters left out, as people shorten `model` to `mdl`. */
function isShortFor(short: string, long: string): boolean {
  if (short.length < 3 || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at++;
  return at === short.length;
}

interface Missing {
  readonly keys: Set<string>;
  reads: number;
}

// A forward with an optional key reads it for every item. By then it is known; the watch ends, and reads are free again.
const readsWatched = 1000;

const missingOf = new WeakMap<object, Missing>();
// One for all envs: objects with different prototypes have different shapes, and `forward` would be compiled anew for each.
const watch = new Proxy(Object.create(Object.prototype) as object, {
  get(target, key, env: object) {
    const missing = missingOf.get(env);
    if (missing !== undefined && typeof key === "string" && key !== "toJSON" && !(key in target)) {
      missing.keys.add(key);
      if (++missing.reads === readsWatched) Object.setPrototypeOf(env, Object.prototype);
    }
    return Reflect.get(target, key, env) as unknown;
  },
});
