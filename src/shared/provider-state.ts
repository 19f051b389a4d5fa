/** What a worker needs beside config and params to have the driver's provider. */
export interface ProviderState {
  /** Whether `new Provider(config, params)` makes one; otherwise it is made without its constructor. */
  readonly isConstructible: boolean;
  /** The fields that can be written down. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Digests of the fields that cannot be written down, and that the constructor makes of config and params. */
  readonly made: Readonly<Record<string, string>>;
  /** What a worker cannot get, by its name: why. Only a run in one process can have any. */
  readonly missing: Readonly<Record<string, string>>;
}
