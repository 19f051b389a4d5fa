import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The modules that a config names as targets, and those of its functions: the env is made with their code. */
export function targetsIn(values: readonly unknown[], project: string): string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value === "function") addModule((value as { readonly module?: unknown }).module);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    // Skipped: a list of a million numbers, or the samples of a recording, names no module.
    if (ArrayBuffer.isView(value) || (Array.isArray(value) && typeof value[0] === "number")) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "_target_" && typeof inner === "string") add(inner);
      else visit(inner);
    }
  };
  const add = (target: string) => {
    const [module = ""] = target.split("#", 1);
    if (module !== "") found.add(module.startsWith("./") ? join(project, module) : module);
  };
  const addModule = (module: unknown) => {
    if (typeof module === "string") found.add(module.startsWith("file:") ? fileURLToPath(module) : module);
  };
  for (const value of values) visit(value);
  return [...found].sort();
}
