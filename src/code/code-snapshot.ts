/** One file of the user's code: what counts of it, and how it can be recognised without being read. */
export interface CodeFile {
  readonly sha256: string;
  /** Size and times; absent where the file was changed a moment ago, so that they could stay the same in the next change. */
  readonly stamp?: string;
}

/** A package that the code imports: it counts by its version. */
export interface CodePackage {
  readonly version: string;
  /** Its folder, relative to the project's; absent for millrace itself. */
  readonly at?: string;
}

/** The code of a run as it is on disk. Paths are relative to the project's folder, with forward slashes. */
export interface CodeSnapshot {
  /** The files (or `class NAME`, for a class that names no module) of the runner and the provider themselves. */
  readonly own: readonly string[];
  readonly files: Readonly<Record<string, CodeFile>>;
  readonly packages: Readonly<Record<string, CodePackage>>;
  /** What the code names and was not found. */
  readonly unresolved: readonly string[];
}

/** Where the code of a run is found. */
export interface CodeSource {
  /** The classes of the runner and the provider, and those that they extend. */
  readonly classes: readonly CodeClass[];
  /** Modules that the config names as targets, as paths. */
  readonly targets: readonly string[];
  /** Where relative modules and packages are looked for. */
  readonly cwd: string;
}

export interface CodeClass {
  readonly name: string;
  readonly module: string | undefined;
  /** Its source; undefined where the class was not loaded. */
  readonly text?: (() => string) | undefined;
}
