import * as yaml from "yaml";
import { Machine } from "../machine/machine.ts";
import { dirname } from "../machine/posix-path.ts";
import { configText, exampleFiles, home, wavPath, wavText } from "./example-files.ts";
import { boot } from "./programs.built.js";
import { StoryRecorder } from "./record-story.ts";
import type { Settings } from "./settings.ts";
import type { Story } from "./story.ts";

// No settings make a run stop more often.
const maxStarts = 4;

/** Runs the example on a new machine and records it, from the first start to the end of the last. */
export async function recordStory(settings: Settings): Promise<Story> {
  const recorder: StoryRecorder = new StoryRecorder(settings, () => machine);
  const machine = new Machine({ boot, modules: { yaml }, observer: recorder });
  for (const [path, text] of exampleFiles(settings)) write(machine, path, text);
  for (let starts = 0; starts < maxStarts; starts++) {
    machine.start({ entry: "main", host: hostOf(settings), cwd: home, env: environment(settings) });
    await machine.run();
    if (recorder.lastEnd?.code === 0) break;
    if (recorder.lastEnd?.signal === undefined && settings.badItem >= 0 && settings.onError === "fail") {
      write(machine, wavPath(settings.badItem), wavText(false));
      recorder.tell(
        "corrected",
        `You put a sound file in the place of ${wavPath(settings.badItem).slice(home.length + 1)}`,
      );
    }
  }
  const { steps, output, lastEnd } = recorder;
  return { settings, config: configText(settings), steps, output, exitCode: lastEnd?.code ?? 1 };
}

function hostOf({ env }: Settings): string {
  return ["local", "process", "thread", "local_gpu"].includes(env) ? "laptop" : "login";
}

function environment({ env, workers }: Settings): Record<string, string> {
  if (env !== "local_gpu") return {};
  return { CUDA_VISIBLE_DEVICES: Array.from({ length: workers }, (_, i) => String(i)).join(",") };
}

function write({ disk }: Machine, path: string, text: string): void {
  makeFolders(disk, dirname(path));
  const file = disk.makeFile(path);
  disk.truncate(file);
  disk.write(file, new TextEncoder().encode(text), 0);
}

function makeFolders(disk: Machine["disk"], path: string): void {
  if (disk.find(path) !== undefined) return;
  makeFolders(disk, dirname(path));
  disk.makeFolder(path);
}

export { epochMs } from "../machine/machine.ts";
