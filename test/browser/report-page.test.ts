import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeReport } from "../../src/dashboard/make-report.ts";
import { openPage, whyNotBrowser } from "../support/browser/browser.ts";
import { findViolations } from "../support/browser/find-violations.ts";
import { attack, madeUpReport } from "../support/browser/made-up-run.ts";
import { because } from "../support/clusters/why-not.ts";

const built = new URL("../../dist/web/", import.meta.url);

/** Writes a report into a folder of its own; returns its address. */
function writeReport(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "report.html"), page);
  return pathToFileURL(join(folder, "report.html")).href;
}

describe.skipIf(whyNotBrowser)(`a report${because(whyNotBrowser)}`, () => {
  it("shows the run from a file, sends no request and breaks no policy", async () => {
    const address = writeReport(makeReport(madeUpReport(), built));
    const { page, complaints, requests } = await openPage();
    await page.goto(address);
    await page.getByRole("heading", { name: "/data/exp/prep" }).waitFor();
    const headings = await page.getByRole("heading", { level: 2 }).allTextContents();
    expect(headings).toEqual(["Progress", "Throughput", "Shards", "Timeline", "Failures", "Plan and config", "Logs"]);
    await page.getByText("20,000 of 20,000").waitFor();
    await page.getByText("Report of 2026-11-16 10:00:00, millrace 1.2.3").waitFor();
    await page.locator(".map-tile canvas").first().waitFor({ state: "attached" });
    await page.getByText(`utterance ${attack} cannot be read`).waitFor();
    await page.getByRole("button", { name: "Next" }).last().click();
    await page.getByRole("heading", { name: "Item 1,339" }).waitFor();
    expect(await page.getByRole("log").textContent()).toContain(attack);
    for (const action of ["Cancel", "Drain", "Retry", "Follow"])
      expect(await page.getByRole("button", { name: action, exact: true }).count()).toBe(0);
    expect(await page.locator("img").count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(requests.filter((asked) => asked !== address && !asked.startsWith("data:"))).toEqual([]);
  });

  it("does not run a script that was put into it", async () => {
    const page = makeReport(madeUpReport(), built).replace(
      "</body>",
      "<script>document.title = 'taken'</script></body>",
    );
    const { page: opened, complaints } = await openPage();
    await opened.goto(writeReport(page));
    await opened.getByText("20,000 of 20,000").waitFor();
    expect(await opened.title()).toBe("/data/exp/prep: report of millrace");
    await expect.poll(() => complaints.some((text) => text.startsWith("policy: script-src"))).toBe(true);
  });

  it("is read on a phone too", async () => {
    const { page } = await openPage({ viewport: { width: 320, height: 640 }, colorScheme: "dark" });
    await page.goto(writeReport(makeReport(madeUpReport(), built)));
    await page.getByText("20,000 of 20,000").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    expect(await findViolations(page, ["color-contrast"])).toEqual([]);
  });
});
