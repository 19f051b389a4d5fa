import { parseSettings, type Settings, settingsText } from "../story/settings.ts";

/** The page's state as far as the reader chose it. It is part of the address, so that a step can be linked. */
export interface Place {
  readonly settings: Settings;
  /** The index of the step among all steps. */
  readonly step: number;
  /** Whether every file operation is a step. */
  readonly isDetailed: boolean;
  readonly toolkit: string;
}

export function readPlace(hash: string): Place {
  const text = hash.replace(/^#/, "");
  const given = new URLSearchParams(text);
  const step = Number(given.get("step") ?? 0);
  return {
    settings: parseSettings(text),
    step: Number.isSafeInteger(step) && step >= 0 ? step : 0,
    isDetailed: given.get("detail") === "true",
    toolkit: given.get("toolkit") ?? "speechbrain",
  };
}

export function placeText({ settings, step, isDetailed, toolkit }: Place): string {
  const words = new URLSearchParams(settingsText(settings));
  if (isDetailed) words.set("detail", "true");
  if (toolkit !== "speechbrain") words.set("toolkit", toolkit);
  words.set("step", String(step));
  return `#${words}`;
}
