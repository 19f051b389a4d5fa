import { spawnSync } from "node:child_process";
import { whyNotBrowser } from "./browser.ts";

/** Why no page can be compared with a kept picture: those were made with one font; with another one everything moves. */
export function whyNotComparable(): string | undefined {
  if (whyNotBrowser !== undefined) return whyNotBrowser;
  const fonts = ["system-ui", "monospace"].map(
    (family) => spawnSync("fc-match", [family], { encoding: "utf8" }).stdout,
  );
  return fonts.every((font) => font?.startsWith("DejaVuSans")) ? undefined : "the fonts are not DejaVu's";
}
