/** Runs an operation whose failure does not matter. Each caller says why. */
export function ignoreErrors(act: () => void): void {
  try {
    act();
  } catch {
    // Ignored; the caller says why.
  }
}
