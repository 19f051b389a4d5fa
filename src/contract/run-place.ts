/**
 * Where the outputs of a run are. `forward` and the other hooks find these keys in the env, unless the provider has set
 * them. Absent in a run without `outputDir`, and if the env is frozen.
 */
export interface RunPlace {
  readonly outputDir?: string;
  readonly shardSubdir?: string;
}

/** The place of a run with these options. */
export function placeOf({
  outputDir,
  shardSubdir = "",
}: {
  readonly outputDir?: string | undefined;
  readonly shardSubdir?: string | undefined;
}): RunPlace {
  return outputDir === undefined ? {} : { outputDir, shardSubdir };
}

/** Adds the place of a run to an env. Returns a function that removes it, because the env may be an object of the user. */
export function addRunPlace(env: object, place: RunPlace): () => void {
  if (!Object.isExtensible(env)) return () => {};
  // Hidden, so that the keys of the env are those that the provider has built.
  const added = Object.entries(place).filter(([key]) => !(key in env));
  for (const [key, value] of added) Object.defineProperty(env, key, { value, configurable: true, writable: true });
  return () => {
    for (const [key] of added) Reflect.deleteProperty(env, key);
  };
}
