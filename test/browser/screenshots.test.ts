import { spawnSync } from "node:child_process";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { whyNotBrowser } from "../support/browser.ts";
import { because } from "../support/clusters/why-not.ts";
import { expectToLookLike } from "./support/compare-screenshot.ts";
import { madeUpSnapshot } from "./support/made-up-run.ts";
import { startMadeUpServer } from "./support/made-up-server.ts";
import { openMadeUpPage } from "./support/open-made-up-page.ts";

const looks = [
  { name: "overview", place: "overview" },
  { name: "overview-dark", place: "overview", colorScheme: "dark" },
  { name: "overview-phone", place: "overview", viewport: { width: 360, height: 740 } },
  { name: "shards", place: "shards/13", shards: 10_000 },
  { name: "timeline", place: "timeline" },
  { name: "failures-dark-phone", place: "failures", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

/** The kept pictures were made with one font; with another one everything stands elsewhere. */
function whyNotComparable(): string | undefined {
  const fonts = ["system-ui", "monospace"].map(
    (family) => spawnSync("fc-match", [family], { encoding: "utf8" }).stdout,
  );
  return fonts.every((font) => font?.startsWith("DejaVuSans")) ? undefined : "the fonts are not DejaVu's";
}

const whyNot = whyNotBrowser ?? whyNotComparable();

async function settle(page: Page): Promise<void> {
  await page.locator(".panel h2").first().waitFor();
  await page.waitForLoadState("networkidle");
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

describe.skipIf(whyNot)(`the dashboard${because(whyNot)}`, () => {
  it.each(looks)("looks as it did: $name", async ({ name, place, ...options }) => {
    const shards = "shards" in options ? options.shards : 200;
    const { url } = await startMadeUpServer(madeUpSnapshot({ shards }));
    const { page } = await openMadeUpPage(options);
    await page.goto(`${url}#/run/prep/${place}`);
    await settle(page);
    await expectToLookLike(page, name);
  });

  it.skipIf(process.env["MILLRACE_GOLDEN"])(
    "does not look the same with another colour, or without a panel",
    async () => {
      const { url } = await startMadeUpServer();
      const { page } = await openMadeUpPage({ colorScheme: "dark" });
      await page.goto(`${url}#/run/prep/overview`);
      await settle(page);
      await expect(expectToLookLike(page, "overview")).rejects.toThrow("looks different");
      await page.emulateMedia({ colorScheme: "light" });
      await page
        .locator(".panel")
        .first()
        .evaluate((panel: HTMLElement) => {
          panel.style.display = "none";
        });
      await expect(expectToLookLike(page, "overview")).rejects.toThrow("looks different");
    },
  );
});
