import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Registers a function that is called before this process exits; returns a function that unregisters it. */
type OnBeforeExit = (act: () => void) => () => void;

/** Runs `act` in a temporary folder, which is removed afterwards, also if the process is ended by a signal. */
export async function inTemporaryFolder<Result>(
  onBeforeExit: OnBeforeExit,
  act: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-"));
  // Workers that were ended a moment ago may still have made a file while the folder was being emptied.
  const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 } as const;
  const forget = onBeforeExit(() => rmSync(folder, removal));
  try {
    return await act(folder);
  } finally {
    await rm(folder, removal);
    forget();
  }
}
