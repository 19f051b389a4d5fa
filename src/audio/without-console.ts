/**
 * Runs a decoder of which each error line on the console would be one a file in the logs of thousands of workers: the
 * error itself is reported by whoever called. Only for synchronous calls, so that nobody else's output is lost.
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
