/** What a worker needs besides config and params to have the driver's provider. */
export interface ProviderState {
  /** True if `new Provider(config, params)` creates it; otherwise it is created without its constructor. */
  readonly isConstructible: boolean;
  /** The fields that can be stored. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Digests of the fields that cannot be stored and that the constructor derives from config and params. */
  readonly made: Readonly<Record<string, string>>;
  /** The fields that a worker cannot get, with the reason. Only a run in one process can have any. */
  readonly missing: Readonly<Record<string, string>>;
}
