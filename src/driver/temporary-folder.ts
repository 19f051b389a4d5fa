import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Has something done before this process ends; what it returns takes that back. */
type BeforeTheEnd = (act: () => void) => () => void;

/** Does something in a folder that is there for as long as that lasts, and is removed also if the process is ended. */
export async function inTemporaryFolder<Result>(
  beforeTheEnd: BeforeTheEnd,
  act: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "millrace-"));
  // Workers that were ended a moment ago may still have made a file while the folder was being emptied.
  const removal = { recursive: true, force: true, maxRetries: 20, retryDelay: 20 } as const;
  const forget = beforeTheEnd(() => rmSync(folder, removal));
  try {
    return await act(folder);
  } finally {
    await rm(folder, removal);
    forget();
  }
}
