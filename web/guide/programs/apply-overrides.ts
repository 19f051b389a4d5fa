// Replaces src/config/apply-overrides.ts: no config of the guide has overrides, and the page stays small.
export function applyOverrides(): void {}
