import type { TextSection } from "../sections/text-section.ts";
import { characterClass } from "./character-class.ts";

/** Creates a function that normalises texts: Unicode form, replacements, case, removed characters, then blanks. */
export function makeTextNormaliser(section: TextSection | null | undefined): (text: string) => string {
  const form = section?.unicode ?? "NFC";
  const toForm = (text: string) => (form === "none" ? text : text.normalize(form));
  const replacements = Object.entries(section?.replace ?? {}).filter(([from]) => from !== "");
  const removed = section?.remove ? new RegExp(characterClass(section.remove, "prep.text.remove").source, "gu") : null;
  const toCase = caseOf(section?.case ?? "keep");
  return (text) => {
    let clean = toForm(text);
    for (const [from, to] of replacements) clean = clean.replaceAll(from, () => to);
    // Again: a change of case can change the form, and replacements may have any.
    clean = toForm(toCase(clean));
    if (removed !== null) clean = clean.replace(removed, "");
    return clean.replace(/\s+/gu, " ").trim();
  };
}

function caseOf(name: "keep" | "lower" | "upper"): (text: string) => string {
  if (name === "keep") return (text) => text;
  return name === "lower" ? (text) => text.toLowerCase() : (text) => text.toUpperCase();
}
