import type { Writers } from "../worker/runner-hooks.ts";
import type { Writer } from "../writers/writer.ts";

/** Closes every writer of a shard that can be closed. */
export async function closeEach(writers: Writers): Promise<void> {
  for (const writer of Object.values(writers)) {
    if (typeof (writer as Partial<Writer>)?.close === "function") await (writer as Writer).close();
  }
}
