import type { BrowserContextOptions } from "playwright-core";
import { serveGuide } from "../guide/serve-guide.ts";
import { openPage, type WatchedPage } from "./browser.ts";

/** How long a page may take: the machine may be busy with other tests. */
export const patienceMs = 120_000;

/** The guide, once the story that the address names has ended. */
export async function openGuide(
  hash = "",
  options: BrowserContextOptions = {},
): Promise<WatchedPage & { readonly address: string }> {
  const watched = await openPage(options);
  watched.page.setDefaultTimeout(patienceMs);
  const address = await serveGuide();
  await watched.page.goto(`${address}${hash}`);
  await storyTold(watched.page);
  return { ...watched, address };
}

/** Waits until the story is there. */
export async function storyTold(page: WatchedPage["page"]): Promise<void> {
  await page.locator('.story[aria-busy="false"]').waitFor();
}
