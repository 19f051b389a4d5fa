import { whenSynced } from "../store/group-sync.ts";

/** Ends this process, although the user's code may have left something open that would keep it alive. */
export async function endProcess(code: number): Promise<never> {
  await whenSynced();
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => {
      if (stream.destroyed) resolve();
      else stream.write("", () => resolve());
    });
  process.exit(code);
}
