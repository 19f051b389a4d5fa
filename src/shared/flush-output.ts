/** Answers when what this process has printed has left it: `process.exit` would drop it where the output is a pipe. */
export async function flushOutput(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await Promise.all(streams.map((stream) => new Promise<void>((resolve) => void stream.write("", () => resolve()))));
}
