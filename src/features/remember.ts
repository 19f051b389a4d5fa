const most = 16;

/**
 * Tables, windows and kernels are made once for the same options, although every call brings its options along: features
 * are computed utterance by utterance, and making them would take longer than a short utterance.
 */
export function remember<O extends object, R>(make: (options: O) => R): (options: O) => R {
  const made = new Map<string, R>();
  return (options) => {
    const key = JSON.stringify(options);
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(options);
    // The oldest makes room: nobody uses more than a few at a time.
    if (made.size >= most) made.delete(made.keys().next().value!);
    made.set(key, fresh);
    return fresh;
  };
}

/**
 * Options that are frozen are checked once and known again by themselves; those that may change are checked at every call.
 * All that options hold are numbers, words and flags.
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
