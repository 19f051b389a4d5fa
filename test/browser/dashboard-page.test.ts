import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { whyNotBrowser } from "../support/browser/browser.ts";
import { attack, madeUpFailure, madeUpSnapshot, retryCommand } from "../support/browser/made-up-run.ts";
import { startMadeUpServer } from "../support/browser/made-up-server.ts";
import { openMadeUpPage } from "../support/browser/open-made-up-page.ts";
import { because } from "../support/clusters/why-not.ts";

describe.skipIf(whyNotBrowser)(`the dashboard${because(whyNotBrowser)}`, () => {
  it("shows figures of the first event, and what later ones change", async () => {
    const server = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(server.url);
    // A folder that is one run is opened at once.
    await expect.poll(() => page.url()).toContain("#/run/prep/overview");
    const fact = (name: string) => page.locator(`dl div:has(dt:text-is("${name}")) dd`).textContent();
    await page.getByText("12,148 of 20,000").waitFor();
    expect([await fact("Rate"), await fact("Time left"), await fact("Failed")]).toEqual(["132 items/s", "1:01", "2"]);
    const { overview } = madeUpSnapshot();
    server.update({
      overview: { ...overview, items: { ...overview.items, done: 19_999, failed: 3 }, workers: [] },
      shards: [
        [120, "c"],
        [121, "f"],
      ],
      attempts: [],
      rates: [],
    });
    await page.getByText("19,999 of 20,000").waitFor();
    expect([await fact("Done"), await fact("Failed")]).toEqual(["99.9 %", "3"]);
    const legend = (label: string) => page.locator(`.legend li:has-text("${label}") b`).first().textContent();
    expect([await legend("running"), await legend("with failed items")]).toEqual(["2", "3"]);
    await page.getByText("No worker is active.").waitFor();
  });

  it("shows a run that an error has ended as failed, with error, item, place, worker and time", async () => {
    const { url } = await startMadeUpServer(madeUpSnapshot({ failure: madeUpFailure }));
    const { page } = await openMadeUpPage();
    await page.goto(`${url}#/run/prep/overview`);
    await page.locator(".run-name .chip-failed", { hasText: "failed" }).waitFor();
    const panel = page.getByRole("region", { name: "An error ended the run" });
    const text = await panel.textContent();
    for (const part of ["ITEM_FAILED", `utterance ${attack} cannot be read`, "Correct the cause", "/data/prep.js:12:5"])
      expect(text).toContain(part);
    const fact = (name: string) => panel.locator(`dl div:has(dt:text-is("${name}")) dd`).textContent();
    expect([await fact("Item"), await fact("Worker")]).toEqual(["1310", "node1-4000-a"]);
    expect(await fact("Time")).toMatch(/^2026-11-16 \d\d:01:58$/);
    await page.locator('dl div:has(dt:text-is("Failed")) dd', { hasText: "2, and item 1310" }).waitFor();
    await page.goto(`${url}#/run/prep/failures`);
    await page.getByText("Item 1,310 ended the run").waitFor();
  });

  it("does not say that no item has failed where one has ended the run", async () => {
    const server = await startMadeUpServer(madeUpSnapshot({ failure: madeUpFailure }), { failures: [] });
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/failures`);
    await page.getByText("No item was skipped.").waitFor();
    expect(await page.getByText("No item has failed.").count()).toBe(0);
  });

  it("distinguishes a complete run from one that is complete with failures", async () => {
    const { url } = await startMadeUpServer(madeUpSnapshot({ isOver: true }));
    const { page } = await openMadeUpPage();
    await page.goto(`${url}#/run/prep/overview`);
    await page.locator(".run-name .chip-complete-with-failures", { hasText: "complete with failures" }).waitFor();
  });

  it("takes names and errors of the data as text", async () => {
    const { url } = await startMadeUpServer();
    const { page, complaints, requests } = await openMadeUpPage();
    await page.goto(`${url}#/run/prep/failures`);
    await page.getByText(`utterance ${attack} cannot be read`).waitFor();
    await page.getByText("Stack").first().click();
    for (const [view, name] of [
      ["plan", "Config"],
      ["logs", "Logs"],
    ] as const) {
      await page.goto(`${url}#/run/prep/${view}`);
      await page.getByRole("heading", { name }).first().waitFor();
      await page.getByText("onerror").first().waitFor();
    }
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toBe("60 % · /data/exp/prep");
    expect(complaints).toEqual([]);
    expect(requests.filter((address) => !address.startsWith(url) && !address.startsWith("data:"))).toEqual([]);
  });

  it("shows failures page by page, with the command that runs them again", async () => {
    const { url } = await startMadeUpServer();
    const { page, context } = await openMadeUpPage();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${url}#/run/prep/failures`);
    await page.getByRole("button", { name: "Copy the command" }).click();
    await page.getByText("Copied the command.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(retryCommand);
    expect(await page.getByRole("list", { name: "Failed items" }).locator("> li").count()).toBe(25);
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText("26–30 of 30").waitFor();
    await page.getByRole("heading", { name: "Item 1,339" }).waitFor();
  });

  it("asks before it does anything, and reports the result", async () => {
    const server = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/overview`);
    await page.getByRole("button", { name: "Cancel" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel this run?" });
    await dialog.getByText("4 workers").waitFor();
    await dialog.getByRole("button", { name: "Keep as it is" }).click();
    expect(server.posted).toEqual([]);
    await page.getByRole("button", { name: "Drain" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drain the run" }).click();
    await page.getByRole("status").filter({ hasText: "asked: drain" }).waitFor();
    expect(server.posted).toEqual(["/api/runs/prep/drain {}"]);
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("offers a retry where no worker runs", async () => {
    const server = await startMadeUpServer(madeUpSnapshot({ isReleased: true }));
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/failures`);
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run them again" }).click();
    await page.getByText("asked: retry").waitFor();
    expect(server.posted).toEqual(["/api/runs/prep/retry {}"]);
  });

  it("says that its connection is lost, and continues when it is there again", async () => {
    const server = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/overview`);
    await page.getByText("Live", { exact: true }).waitFor();
    server.interrupt();
    await page.getByText("Connection lost, trying again").waitFor();
    await page.getByText("12,148 of 20,000").waitFor();
    server.resume();
    await page.getByText("Live", { exact: true }).waitFor();
  });

  it("follows a log until it is paused", async () => {
    const server = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/logs`);
    const log = page.getByRole("log");
    await expect.poll(() => log.textContent()).toContain("at item 199");
    const isAtEnd = () => log.evaluate((box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 2);
    await expect.poll(isAtEnd).toBe(true);
    server.append("one more\n");
    await expect.poll(() => log.textContent()).toContain("one more");
    await expect.poll(isAtEnd).toBe(true);
    await page.getByRole("button", { name: "Pause" }).click();
    server.append("not yet\n");
    await page.getByRole("combobox", { name: "Log" }).focus();
    expect(await log.textContent()).not.toContain("not yet");
    await page.getByRole("button", { name: "Follow" }).click();
    await expect.poll(() => log.textContent()).toContain("one more\nnot yet\n");
    await page.getByRole("combobox", { name: "Log" }).selectOption("node1-4000-a");
    await expect.poll(() => page.url()).toContain("/logs/node1-4000-a");
  });

  it("keeps the colours that were chosen", async () => {
    const { url } = await startMadeUpServer();
    const { page } = await openMadeUpPage();
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.goto(`${url}#/run/prep/overview`);
    const light = await background();
    await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
  });

  it("lists the runs of a folder", async () => {
    const runs = [
      { id: "a", folder: attack, state: "complete" },
      { id: "b", folder: "broken", state: "unreadable", error: "no manifest" },
    ] as const;
    const { url } = await startMadeUpServer(undefined, { runs });
    const { page } = await openMadeUpPage();
    await page.goto(url);
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual([`${attack}complete———`, "brokenunreadable———no manifest"]);
    await page.getByRole("link", { name: attack }).click();
    await page.getByRole("heading", { name: "Progress" }).waitFor();
  });
});

describe("the page", () => {
  it("weighs at most 200 kB, packed", () => {
    const folder = fileURLToPath(new URL("../../dist/web/", import.meta.url));
    for (const end of [".br", ".gz"]) {
      const sizes = ["index.html", "app.js", "app.css"].map((name) => readFileSync(`${folder}${name}${end}`).length);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(200_000);
    }
  });

  it("has neither scripts nor styles within its markup", () => {
    const markup = readFileSync(new URL("../../dist/web/index.html", import.meta.url), "utf8");
    expect(markup).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
  });
});
