// Beside the providers and not in a field: what is in a field is sent to the workers.
const kept = new WeakMap<object, Promise<object>>();

/** The env that a provider has built and that no run has taken yet; built now where there is none. */
export function keepEnv<Env extends object>(provider: object, build: () => Promise<Env>): Promise<Env> {
  const known = kept.get(provider) as Promise<Env> | undefined;
  if (known !== undefined) return known;
  const env = build();
  kept.set(provider, env);
  // A build that failed is tried again.
  env.catch(() => forgetEnv(provider));
  return env;
}

/** The env belongs to a run from now on, which tears it down, or it is not needed in this process. */
export function forgetEnv(provider: object): void {
  kept.delete(provider);
}
