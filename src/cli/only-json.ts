/** Reserves stdout for JSON: output of the user's code and its workers goes to stderr. */
export async function onlyJsonOnStdout<T>(act: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof write;
  try {
    return await act();
  } finally {
    process.stdout.write = write;
  }
}
