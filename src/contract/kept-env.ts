// Not in a field of the provider, because fields are sent to the workers.
const keptEnvs = new WeakMap<object, Promise<object>>();

/** Returns the env that a provider has built and that no run has taken yet. Builds it if there is none. */
export function keepEnv<Env extends object>(provider: object, build: () => Promise<Env>): Promise<Env> {
  const known = keptEnvs.get(provider) as Promise<Env> | undefined;
  if (known !== undefined) return known;
  const env = build();
  keptEnvs.set(provider, env);
  // A build that failed can be tried again.
  env.catch(() => forgetEnv(provider));
  return env;
}

/** Forgets the env: it now belongs to a run, which tears it down, or it is not needed in this process. */
export function forgetEnv(provider: object): void {
  keptEnvs.delete(provider);
}
