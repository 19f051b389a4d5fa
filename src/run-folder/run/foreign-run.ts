import { MillraceError } from "../../errors/errors.ts";
import { readBytesIfPresent } from "../files/durable-files.ts";
import { type RunPaths, shardIdOf } from "../files/run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/** The error about a folder that holds something other than a run of millrace; it names ESPnet3 where ESPnet3 wrote it. */
export function foreignRun(paths: RunPaths, what: string, hint: string): MillraceError {
  const trace = findEspnet3Trace(paths);
  if (trace === undefined) return new MillraceError("RUN_FOREIGN", what, { hint });
  return new MillraceError(
    "RUN_FOREIGN",
    `${paths.root} holds a run of ESPnet3 (${trace}), which cannot be continued here.`,
    {
      hint: "Choose another outputDir or shardSubdir for this run. What ESPnet3 has written stays as it is.",
    },
  );
}

/** What only ESPnet3 leaves in a shard: a lock, a pickled state, or an empty `done`. */
function findEspnet3Trace(paths: RunPaths): string | undefined {
  for (const name of namesIn(paths.root)) {
    const id = shardIdOf(name);
    if (id === undefined) continue;
    const found = namesIn(paths.shard(id)).find((file) => file === "lock" || file === "_state.pkl");
    if (found !== undefined) return `${name}/${found}`;
    if (readBytesIfPresent(paths.done(id))?.length === 0) return `${name}/done is empty`;
  }
  return undefined;
}
