/**
 * Runs a decoder without its console output, which would be one line per file in the logs of thousands of workers: the
 * caller reports the error. Only for synchronous calls, so that no other output is lost.
 */
export function withoutConsole<T>(run: () => T): T {
  const { error } = console;
  console.error = () => {};
  try {
    return run();
  } finally {
    console.error = error;
  }
}
