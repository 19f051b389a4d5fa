/**
 * One file of the user's code: the digest of what is compared, and a stamp that shows without reading that it is
 * unchanged.
 */
export interface CodeFile {
  readonly sha256: string;
  /** Size and times. Absent if the file changed a moment ago: the next change could then leave them the same. */
  readonly stamp?: string;
}

/** A package that the code imports. It is compared by its version. */
export interface CodePackage {
  readonly version: string;
  /** Its folder, relative to the project folder. Absent for millrace itself. */
  readonly at?: string;
}

/** The code of a run as it is on disk. Paths are relative to the project folder, with forward slashes. */
export interface CodeSnapshot {
  /** The files of the runner and the provider themselves, or `class NAME` for a class that names no module. */
  readonly own: readonly string[];
  readonly files: Readonly<Record<string, CodeFile>>;
  readonly packages: Readonly<Record<string, CodePackage>>;
  /** Imports that could not be resolved. */
  readonly unresolved: readonly string[];
}

/** Where to find the code of a run. */
export interface CodeSource {
  /** The classes of the runner and the provider, and their base classes. */
  readonly classes: readonly CodeClass[];
  /** Paths of the modules that the config names as targets. */
  readonly targets: readonly string[];
  /** The folder from which relative modules and packages are resolved. */
  readonly cwd: string;
}

export interface CodeClass {
  readonly name: string;
  readonly module: string | undefined;
  /** The source of the class. Undefined if the class was not loaded. */
  readonly text?: (() => string) | undefined;
}
