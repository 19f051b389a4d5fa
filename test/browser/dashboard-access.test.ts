import { describe, expect, it } from "vitest";
import { runViews } from "../../web/dashboard/route.ts";
import { whyNotBrowser } from "../support/browser/browser.ts";
import { findViolations } from "../support/browser/find-violations.ts";
import { startMadeUpServer } from "../support/browser/made-up-server.ts";
import { openMadeUpPage } from "../support/browser/open-made-up-page.ts";
import { because } from "../support/clusters/why-not.ts";

const screens = [
  { name: "a phone", viewport: { width: 360, height: 740 } },
  { name: "a wide screen", viewport: { width: 1440, height: 900 } },
];

describe.skipIf(whyNotBrowser)(`the dashboard${because(whyNotBrowser)}`, () => {
  it.each(screens)(
    "has no barrier on any of its pages on $name, light or dark, and none is too wide",
    async (screen) => {
      const { viewport } = screen;
      const { url } = await startMadeUpServer(undefined, { runs: manyRuns });
      const { page, complaints } = await openMadeUpPage({ viewport });
      const found: string[] = [];
      for (const place of ["", ...runViews.map((view) => `run/prep/${view}${view === "shards" ? "/13" : ""}`)]) {
        await page.goto(`${url}#/${place}`);
        await page.locator(".panel h2").first().waitFor();
        if (place.includes("shards")) await page.getByText("1,300 to 1,399").waitFor();
        const light = await findViolations(page);
        // Colours are all that is different in the dark.
        await page.emulateMedia({ colorScheme: "dark" });
        const dark = await findViolations(page, ["color-contrast"]);
        await page.emulateMedia({ colorScheme: "light" });
        found.push(...[...light, ...dark].map((text) => `${place}: ${text}`));
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        if (width > viewport.width) found.push(`${place}: is ${width} pixels wide`);
      }
      expect(found).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it("fits a screen of 320 pixels", async () => {
    const { url } = await startMadeUpServer();
    const { page } = await openMadeUpPage({ viewport: { width: 320, height: 640 } });
    for (const view of runViews) {
      await page.goto(`${url}#/run/prep/${view}`);
      await page.locator(".panel h2").first().waitFor();
      expect([view, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([view, 320]);
    }
  });

  it("is walked through by keyboard alone", async () => {
    const { url, posted } = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(`${url}#/run/prep/overview`);
    await page.getByRole("heading", { name: "Throughput" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    expect(await page.evaluate(() => location.hash)).toBe("#/run/prep/overview");
    await press("Tab");
    expect(await focused()).toBe("Drain");
    await press("Enter", "Escape");
    expect([await focused(), await page.getByRole("dialog").count()]).toEqual(["Drain", 0]);
    await press("Tab", "Tab", "Tab");
    expect(await focused()).toBe("shards");
    await press("Enter");
    await expect.poll(focused).toBe("Shards");
    await press("Tab", "ArrowRight", "ArrowDown", "ArrowLeft");
    const map = page.getByRole("slider", { name: /Map of the shards/ });
    const chosen = Number(await map.getAttribute("aria-valuenow"));
    expect(chosen).toBeGreaterThan(10);
    expect(await page.getByRole("status").filter({ hasText: "Shard" }).textContent()).toBe(
      `Shard ${chosen}: committed`,
    );
    await press("Enter");
    await page.getByRole("heading", { name: `Shard ${chosen}` }).waitFor();
    await press("End");
    expect(await map.getAttribute("aria-valuenow")).toBe("199");
    expect(posted).toEqual([]);
  });

  it("leads along the attempts of its timeline by keyboard", async () => {
    const { url } = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(`${url}#/run/prep/timeline`);
    const timeline = page.getByRole("slider", { name: /Timeline/ });
    await timeline.focus();
    // Bars that are too narrow to distinguish are drawn as one, so the page must have measured its own width.
    await expect.poll(async () => Number(await timeline.locator("svg").getAttribute("width"))).toBeGreaterThan(640);
    for (const key of ["ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    const said = page.getByRole("status").filter({ hasText: "attempt" });
    await expect
      .poll(() => said.textContent())
      .toBe("node2-4001-a: shard 17, attempt 0, lost (killed by SIGKILL), 09:00:12 for 2.8 s");
  });
});

const items = { total: 20_000, done: 12_148, written: 11_970, dropped: 28, failed: 2 };
const manyRuns = [
  { id: "prep", folder: "prep", state: "running", items },
  { id: "a%2Fb", folder: "old/clean", state: "complete", items: { ...items, done: 20_000 } },
  { id: "c", folder: "broken", state: "unreadable", error: "manifest.json is not JSON" },
] as const;
