import { configError, showPosition } from "../config/config-error.ts";
import { positionOf } from "../config/position-of.ts";
import { nearestName } from "../shared/nearest-name.ts";
import { isPlainObject } from "../shared/state-json.ts";
import { readable } from "./readable.ts";
import { parallelKeyNames, runSectionNames } from "./run-shape.ts";

// Of `hydra` nothing is read.
const meaningful = runSectionNames.filter((name) => name !== "hydra");

/**
 * Says on stderr which top keys look like a misspelt section of a run. Any other key is the provider's config, so it may
 * well be meant; only what can hardly be anything but `parallel` is refused: the run would be alone with one worker.
 */
export function tellMisspeltSections(config: object, path: string): void {
  const sections = new Map(Object.entries(config));
  for (const [key, value] of sections) {
    const near = runSectionNames.includes(key) ? undefined : nearestName(key, meaningful);
    if (near === undefined) continue;
    const position = positionOf(config, [key]) ?? { source: path };
    const isMeant = near === "parallel" && sections.get("parallel") == null && isParallel(value);
    if (isMeant) {
      throw configError(position, `${key} is not known, and looks like ${near}.`, {
        hint: `Write ${near}. For a key of the provider's own, choose another name.`,
      });
    }
    const warning = `${showPosition(position)}: ${key} is taken for the provider's own.`;
    const advice = `Did you mean ${near}? If not, another name or a place below provider.params ends this warning.`;
    process.stderr.write(`${readable(`millrace: warning: ${warning}\n  -> ${advice}`)}\n`);
  }
}

function isParallel(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => parallelKeyNames.includes(key));
}
