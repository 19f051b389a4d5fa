import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { expectToLookLike } from "../support/browser/compare-screenshot.ts";
import { madeUpFailure, madeUpSnapshot } from "../support/browser/made-up-run.ts";
import { startMadeUpServer } from "../support/browser/made-up-server.ts";
import { openGuide } from "../support/browser/open-guide.ts";
import { openMadeUpPage } from "../support/browser/open-made-up-page.ts";
import { whyNotComparable } from "../support/browser/why-not-comparable.ts";
import { because } from "../support/clusters/why-not.ts";

const looks = [
  { name: "overview", place: "overview" },
  { name: "overview-dark", place: "overview", colorScheme: "dark" },
  { name: "overview-failed", place: "overview", failure: madeUpFailure },
  { name: "overview-phone", place: "overview", viewport: { width: 360, height: 740 } },
  { name: "shards", place: "shards/13", shards: 10_000 },
  { name: "timeline", place: "timeline" },
  {
    name: "failures-dark-phone",
    place: "failures",
    // The failures are fetched after the rest of the page.
    until: "This runs only them again",
    colorScheme: "dark",
    viewport: { width: 360, height: 740 },
  },
] as const;

const phone = { width: 360, height: 740 };
// Tall enough for the whole story.
const wide = { width: 1440, height: 1600 };
// A phone does not show all at once: only the top of the page is compared.
const guideLooks = [
  { name: "guide-start", hash: "", viewport: wide },
  {
    name: "guide-kill-dark",
    hash: "#env=slurm&killWorker=forward",
    phase: "kill",
    viewport: wide,
    colorScheme: "dark",
  },
  { name: "guide-resume-phone", hash: "#killWorker=forward", phase: "resume", viewport: phone, from: ".said" },
  { name: "guide-end", hash: "#badItem=4&onError=skip", phase: "end", viewport: wide },
  { name: "guide-end-dark-phone", hash: "", phase: "end", viewport: phone, colorScheme: "dark", from: ".folder" },
] as const;

interface GuideLook extends Pick<BrowserContextOptions, "viewport" | "colorScheme"> {
  readonly hash: string;
  /** Default: where it begins. */
  readonly phase?: string;
  readonly from?: string;
}

const whyNot = whyNotComparable();

async function settle(page: Page): Promise<void> {
  await page.locator(".panel h2").first().waitFor();
  await page.waitForLoadState("networkidle");
  await drawn(page);
}

async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

describe.skipIf(whyNot)(`the dashboard${because(whyNot)}`, () => {
  it.each(looks)("looks as it did: $name", async ({ name, place, ...options }) => {
    const shards = "shards" in options ? options.shards : 200;
    const failure = "failure" in options ? options.failure : null;
    const { url } = await startMadeUpServer(madeUpSnapshot({ shards, failure }));
    const { page } = await openMadeUpPage(options);
    await page.goto(`${url}#/run/prep/${place}`);
    await settle(page);
    if ("until" in options) await page.getByText(options.until).waitFor();
    await drawn(page);
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

/** The guide at the next step of a phase. */
async function openPhase({ hash, phase, from, ...options }: GuideLook): Promise<Page> {
  const { page } = await openGuide(hash, options);
  if (phase !== undefined) {
    await page.getByRole("button", { name: phase, exact: true }).click();
    await page.locator(".phase[aria-current]", { hasText: phase }).waitFor();
  }
  if (from !== undefined) await page.locator(from).evaluate((element) => element.scrollIntoView({ block: "start" }));
  await drawn(page);
  return page;
}

/** Steps differ by a few words and lines only. The library's own sources stand there too, and need not look as they did. */
function expectGuideToLookLike(page: Page, name: string): Promise<void> {
  return expectToLookLike(page, name, { mask: [page.getByRole("region", { name: "The library" })], most: 0.01 });
}

describe.skipIf(whyNot)(`the guide${because(whyNot)}`, () => {
  it.each(guideLooks)("looks as it did: $name", async ({ name, ...look }) => {
    const page = await openPhase(look);
    await expectGuideToLookLike(page, name);
  });

  it.skipIf(process.env["MILLRACE_GOLDEN"])("does not look the same at another step, or in the dark", async () => {
    const page = await openPhase({ hash: "", phase: "commit", viewport: wide });
    const looksAsAtStart = () => expectGuideToLookLike(page, "guide-start");
    await expect(looksAsAtStart()).rejects.toThrow("looks different");
    await page.getByRole("button", { name: "First" }).click();
    await page.getByText("It is not there yet.").waitFor();
    // The pointer rests on a button then, and none does where the page has just been opened.
    await page.mouse.move(0, 0);
    await drawn(page);
    await looksAsAtStart();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect(looksAsAtStart()).rejects.toThrow("looks different");
  });
});
