/** Resolves when everything printed so far has been written: `process.exit` would drop it if the output is a pipe. */
export async function flushOutput(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => void stream.write("", () => resolve()))));
}
