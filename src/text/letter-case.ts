/** `batch_size` as `batchSize`. */
export function toCamelCase(key: string): string {
  return key.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** `batchSize` as `batch_size`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
