import type { Done } from "../store/done.ts";
import type { LaunchRequest } from "./launcher.ts";
import { openOrphanGuard } from "./orphan-guard.ts";
import { startProcess } from "./start-process.ts";
import { supervise } from "./supervise.ts";

export interface ProcessSettings {
  readonly maxHeapMb: number | undefined;
  /** The variables of the worker in a slot, beside those of this process. */
  readonly variables: (slot: number) => Readonly<Record<string, string>>;
}

/** Keeps worker processes of this machine at work. None of them outlives this one. */
export async function superviseProcesses(
  request: LaunchRequest,
  { maxHeapMb, variables }: ProcessSettings,
): Promise<ReadonlyMap<number, Done>> {
  const { runDir } = request;
  const guard = openOrphanGuard();
  try {
    return await supervise(request, ({ name, slot }) =>
      startProcess({ runDir, name, variables: variables(slot), maxHeapMb, onStart: guard.watch }),
    );
  } finally {
    guard.dismiss();
  }
}
