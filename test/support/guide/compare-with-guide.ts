import type { TestContext } from "vitest";
import { type Settings, usualSettings } from "../../../web/guide/story/settings.ts";
import { comparableFiles } from "./comparable-files.ts";
import { filesAt, recordStory } from "./load-simulation.ts";
import { runRealExample } from "./real-example.ts";

/** Of the test's own context, since tests run side by side. */
type Test = Pick<TestContext, "expect" | "onTestFinished">;

/**
 * Runs the guide's example for real, in the environment of a cluster or with fakes of one, and expects the folder that the
 * guide ends with.
 */
export async function compareWithGuide(
  { expect, onTestFinished }: Test,
  changed: Partial<Settings>,
  cluster?: NodeJS.ProcessEnv,
): Promise<void> {
  const settings = { ...usualSettings, ...changed };
  const story = await recordStory(settings);
  const real = await runRealExample(settings, { onTestFinished, cluster });
  expect(story.exitCode).toBe(0);
  const starts = story.steps.filter(({ title }) => title.startsWith("You start the script"));
  expect(starts.length).toBe(real.starts);
  expect(comparableFiles(filesAt(story.steps.at(-1)))).toEqual(comparableFiles(real.last, real.folder));
}
