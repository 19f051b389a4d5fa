import { makeInstance } from "../shared/travelling-instance.ts";
import { type InstanceReference, keyOf, type TravellingClass } from "../shared/value-marks.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { type RunSpec, readSpec } from "../store/run-spec.ts";
import { loadClass } from "./load-class.ts";

/** The spec of a run with the instances in it made again, for which their classes have to be imported. */
export async function loadSpec(paths: RunPaths): Promise<RunSpec> {
  const references = new Map<string, InstanceReference>();
  const spec = readSpec(paths, (reference) => references.set(keyOf(reference), reference));
  if (references.size === 0) return spec;
  const classes = new Map<string, TravellingClass>();
  for (const [key, reference] of references) {
    const found = await loadClass(reference, { cwd: spec.cwd, code: "BAD_PROVIDER" });
    classes.set(key, found as unknown as TravellingClass);
  }
  return readSpec(paths, (reference, json) => makeInstance(classes.get(keyOf(reference))!, json));
}
