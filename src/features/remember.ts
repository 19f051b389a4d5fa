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
