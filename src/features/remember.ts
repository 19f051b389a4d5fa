const most = 16;

/**
 * Caches tables, windows and kernels by their options: features are computed per utterance, and creating the tables
 * would take longer than a short utterance.
 */
export function remember<O extends object, R>(make: (options: O) => R): (options: O) => R {
  const made = new Map<string, R>();
  return (options) => {
    const key = JSON.stringify(options);
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(options);
    // The oldest entry is removed: programs use only a few at a time.
    if (made.size >= most) made.delete(made.keys().next().value!);
    made.set(key, fresh);
    return fresh;
  };
}

/**
 * Frozen options are checked once and recognised by identity; others may change and are checked at every call. Options
 * contain only numbers, strings and booleans.
 */
export function rememberFrozen<O extends object, R>(make: (options: O) => R): (options: O) => R {
  const made = new WeakMap<O, R>();
  return (options) => {
    if (!Object.isFrozen(options)) return make(options);
    const known = made.get(options) ?? make(options);
    made.set(options, known);
    return known;
  };
}
