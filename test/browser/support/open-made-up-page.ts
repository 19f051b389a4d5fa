import type { BrowserContextOptions } from "playwright-core";
import { openPage, type WatchedPage } from "../../support/browser.ts";
import { began } from "./made-up-run.ts";

/** A page whose clock stands two minutes after the made-up run began: what it draws does not depend on the day. */
export async function openMadeUpPage(options?: BrowserContextOptions): Promise<WatchedPage> {
  const watched = await openPage(options);
  await watched.page.clock.setFixedTime(began + 125_000);
  return watched;
}
