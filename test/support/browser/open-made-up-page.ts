import type { BrowserContextOptions } from "playwright-core";
import { openPage, type WatchedPage } from "./browser.ts";
import { began } from "./made-up-run.ts";

/** A page whose clock is two minutes after the start of the made-up run, so that it looks the same every day. */
export async function openMadeUpPage(options?: BrowserContextOptions): Promise<WatchedPage> {
  const watched = await openPage(options);
  await watched.page.clock.setFixedTime(began + 125_000);
  return watched;
}
