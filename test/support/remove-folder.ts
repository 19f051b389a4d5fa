import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Removes a folder that programs which are about to end may still write to. `maxRetries` of `rmSync` is no help there: it
 * tries the same `rmdir` again, but does not remove what was added since it listed the folder.
 */
export async function removeFolder(path: string): Promise<void> {
  for (let triesLeft = 100; ; triesLeft--) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (triesLeft === 0 || (code !== "ENOTEMPTY" && code !== "EBUSY")) throw error;
    }
    await sleep(100);
  }
}
