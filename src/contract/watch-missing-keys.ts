import { nearestName } from "../text/nearest-name.ts";
import { isPlainObject } from "../values/state-json.ts";

/** Notes which keys were read from an env that does not have them. */
export interface MissingKeys {
  /** A sentence for an error message; undefined if all keys that were read exist. */
  explain(): string | undefined;
  /** Restores the env: it may be an object of the user, such as a config. */
  stop(): void;
}

/**
 * Notes reads of keys that the provider did not build, so that the error of a failing `forward` can say "did you mean
 * `model`". The watch is the prototype of the env: reading an existing key costs nothing extra, and an optional key
 * that does not exist stays undefined.
 */
export function watchMissingKeys(env: object): MissingKeys {
  const missing: Missing = { keys: new Set(), reads: 0 };
  // A provider may return the same env again, which is already watched.
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

/** Whether a name is another one with letters left out, such as `mdl` for `model`. */
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

// A forward with an optional key reads it for every item. After this many reads the watch ends, so that reads are fast
// again.
const readsWatched = 1000;

const missingOf = new WeakMap<object, Missing>();
// One object for all envs: objects with different prototypes have different shapes, and V8 would compile `forward`
// again for each.
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
