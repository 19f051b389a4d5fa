import { fileURLToPath } from "node:url";
import type { Settings } from "../../../web/guide/story/settings.ts";
import type { Story } from "../../../web/guide/story/story.ts";
import type { RunFiles } from "./real-example.ts";

const built = fileURLToPath(new URL("../../../dist/web/guide/simulation.js", import.meta.url));

/** Plays a story with the simulation as it is built: the library is a part of it, which only the build can put there. */
export async function recordStory(settings: Settings): Promise<Story> {
  const simulation = (await import(built)) as { recordStory(settings: Settings): Promise<Story> };
  return simulation.recordStory(settings);
}

/** The run folder at a step. */
export function filesAt(step: Story["steps"][number] | undefined): RunFiles {
  const decoder = new TextDecoder();
  return new Map(step?.files.map(({ path, bytes }) => [path, bytes === undefined ? "" : decoder.decode(bytes)]));
}
