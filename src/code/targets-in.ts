import { join } from "node:path";

/** The modules that a config names as targets: the provider makes things of them while it builds the env. */
export function targetsIn(values: readonly unknown[], project: string): string[] {
  const found = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    // A list of a million numbers, or the samples of a recording, names none.
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
  for (const value of values) visit(value);
  return [...found].sort();
}
