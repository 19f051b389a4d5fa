import { parseSettings, type Settings, settingsText } from "../story/settings.ts";

/** Everything that the page shows, as far as it was chosen: it stands in the address, so that a step can be linked to. */
export interface Place {
  readonly settings: Settings;
  /** The step, counted over all of them. */
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
