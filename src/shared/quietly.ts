/** Does something whose failure changes nothing that matters; each caller says why. */
export function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // As the caller says.
  }
}
