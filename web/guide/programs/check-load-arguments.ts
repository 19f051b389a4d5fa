// Replaces src/config/check-load-arguments.ts: the guide calls loadConfig as its types say, and the page stays small.
export function checkLoadArguments(): void {}
