import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openPage, whyNotBrowser } from "../support/browser/browser.ts";
import { attack } from "../support/browser/made-up-run.ts";
import { makeProject, type Project } from "../support/cli/project.ts";
import { because } from "../support/clusters/why-not.ts";

const patience = { timeout: 200_000 };

/** Starts `millrace dashboard` as a user does; returns the address that it prints. */
async function startDashboard(project: Project, folder: string): Promise<string> {
  const { child, seen } = project.start(["dashboard", folder, "--port", "0"]);
  let said = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (part: string) => (said += part));
  await seen(/http:\/\/\S+/);
  return /http:\/\/[^\s,]+/.exec(said)![0];
}

const fact = (page: Page, name: string) => page.locator(`dl div:has(dt:text-is("${name}")) dd`);
const part = (page: Page, name: string) => page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
const stateOf = (page: Page) => page.locator(".run-name .chip").textContent();

describe.skipIf(whyNotBrowser)(`a run in the dashboard${because(whyNotBrowser)}`, () => {
  it("is watched from its start to a killed worker, to a stop, to its resume and its merge", async () => {
    const project = makeProject();
    const words = ["run", "job.yaml", "held=[7]", "held_until=go", "says=true", "parallel.env=process"];
    const first = project.start([...words, "parallel.n_workers=2"]);
    await expect.poll(() => project.names("exp/job/.millrace/workers").length, patience).toBeGreaterThan(1);
    const { page, complaints } = await openPage();
    await page.goto(await startDashboard(project, "exp/job"));
    await expect.poll(() => stateOf(page), patience).toBe("running");

    // The worker at item 7 does not come any further; the page says which one it is.
    await part(page, "workers");
    const held = page.getByRole("table", { name: "Workers" }).locator("tbody tr:has(td:nth-child(4):text-is('1'))");
    await held.waitFor();
    const pid = Number(await held.locator("td").nth(1).textContent());
    const worker = await held.locator("th").textContent();
    process.kill(pid, "SIGKILL");
    await part(page, "timeline");
    const lost = page
      .locator("tbody tr", { has: page.getByText("lost", { exact: true }) })
      .filter({ hasText: worker! });
    await lost.filter({ hasText: "SIGKILL" }).waitFor();
    expect(await lost.locator("th").textContent()).toBe("shard 1");

    // The worker that replaced it is at item 7 too.
    await part(page, "workers");
    await expect
      .poll(async () => (await held.count()) === 1 && (await held.locator("th").textContent()) !== worker, patience)
      .toBe(true);
    first.child.kill("SIGKILL");
    await first.ended;
    await part(page, "overview");
    await expect.poll(() => stateOf(page), patience).toBe("stopped");
    expect(await page.getByRole("button", { name: "Cancel" }).count()).toBe(0);

    project.touch("go");
    const second = project.start([...words, "parallel.n_workers=2"]);
    await expect.poll(() => stateOf(page), patience).toBe("complete");
    expect((await second.ended).status).toBe(0);
    await expect.poll(() => fact(page, "Items").textContent(), patience).toBe("20 of 20");
    expect(await fact(page, "Done").textContent()).toBe("100 %");
    expect(await page.locator('.legend li:has-text("committed") b').first().textContent()).toBe("4");
    await part(page, "timeline");
    await page.locator("tbody th", { hasText: "merge" }).waitFor();
    const again = page.locator("tbody tr", { has: page.getByRole("rowheader", { name: "shard 1", exact: true }) });
    await again.filter({ hasText: "committed" }).waitFor();
    await part(page, "logs");
    await page.getByRole("log").filter({ hasText: "at item" }).waitFor();
    await part(page, "plan");
    await page.getByText(/n_?workers: 2/i).waitFor();
    expect(complaints).toEqual([]);

    const { status } = await project.run("report", "exp/job");
    expect(status).toBe(0);
    const report = await openPage();
    await report.page.goto(pathToFileURL(project.path("exp/job/report.html")).href);
    expect(await fact(report.page, "Items").first().textContent()).toBe("20 of 20");
    await report.page.locator("tbody tr", { hasText: "SIGKILL" }).first().waitFor();
    expect(report.complaints).toEqual([]);
    expect(report.requests.filter((address) => !/^(file|data):/.test(address))).toEqual([]);
  });

  it("has its failures inspected and retried from the page", async () => {
    const project = makeProject();
    const message = `fails_with=${JSON.stringify(attack)}`;
    const { status } = await project.run("run", "job.yaml", "fails=[2,5]", "fails_until=fixed", message);
    expect(status).toBe(3);
    const { page, complaints } = await openPage();
    await page.goto(await startDashboard(project, "exp"));
    await page.getByRole("link", { name: "job" }).click();
    await part(page, "failures");
    await page.getByRole("heading", { name: "Item 5" }).waitFor();
    await page.getByText(attack).first().waitFor();
    await page.getByText("Stack").first().click();
    await page.locator("details pre", { hasText: "jobs.js" }).first().waitFor();
    expect(await page.locator(".copy-line code").textContent()).toMatch(/^millrace retry .*exp\/job/);
    project.touch("fixed");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run them again" }).click();
    await page.getByText("No item has failed.").waitFor();
    expect(await page.locator("img").count()).toBe(0);
    const records = readdirSync(project.path("exp/job")).filter((name) => name.startsWith("split."));
    const lines = records.flatMap((name) =>
      readFileSync(project.path(`exp/job/${name}/records.jsonl`), "utf8")
        .trim()
        .split("\n"),
    );
    expect(lines).toHaveLength(20);
    expect(complaints).toEqual([]);
  });

  it("is cancelled from the page", async () => {
    const project = makeProject();
    const run = project.start(["run", "job.yaml", "items=5000", "slow_until=go", "parallel.env=process"]);
    await expect.poll(() => project.names("exp/job/.millrace/workers").length, patience).toBeGreaterThan(0);
    const { page } = await openPage();
    await page.goto(await startDashboard(project, "exp/job"));
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await expect.poll(() => stateOf(page), patience).toBe("stopped");
    expect((await run.ended).status).not.toBe(0);
    expect(await page.locator(".announcer .notice").textContent()).not.toBe("");
  });

  it("is drained from the page: what was begun is committed, nothing else is, and it continues when it is started again", async () => {
    const project = makeProject();
    const many = ["items=1200", "runner.shards=300", "slow_until=fast", "held=[6]", "held_until=go"];
    const words = ["run", "job.yaml", ...many, "parallel.env=process", "parallel.n_workers=2"];
    const run = project.start(words);
    const begun = () => project.names("exp/job/.millrace/attempts").filter((name) => !name.startsWith("."));
    const committed = () => project.names("exp/job").filter((name) => name.startsWith("split."));
    await expect.poll(() => begun().includes("1.1") && committed().length > 3, patience).toBe(true);
    const { page, complaints } = await openPage();
    await page.goto(await startDashboard(project, "exp/job"));
    await page.getByRole("button", { name: "Drain" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drain the run" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: "The current shards are finished; no other is started." })
      .waitFor();

    // One worker is held in the middle of its shard; the other one leaves after its own.
    await expect.poll(() => stateOf(page), patience).toBe("draining");
    await expect.poll(begun, patience).toEqual(["1.1"]);
    await part(page, "workers");
    await expect.poll(() => page.getByRole("table", { name: "Workers" }).locator("tbody tr").count(), patience).toBe(1);
    expect(await page.getByRole("button", { name: "Drain" }).count()).toBe(0);
    const before = committed().length;
    project.touch("go");
    expect((await run.ended).status).not.toBe(0);
    expect([begun(), committed().length]).toEqual([[], before + 1]);
    const shards = committed().map((name) => project.text(`exp/job/${name}/records.jsonl`));
    expect(shards.map((text) => text.split("\n").length - 1)).toEqual(shards.map(() => 4));

    await part(page, "overview");
    await expect.poll(() => stateOf(page), patience).toBe("stopped");
    expect(await fact(page, "Shards").textContent()).toBe(`${shards.length} of 300`);
    expect(await fact(page, "Items").textContent()).toBe(`${(4 * shards.length).toLocaleString("en-US")} of 1,200`);
    await page.getByText("No worker is active.").waitFor();
    await part(page, "timeline");
    const outcomes = page.getByRole("list", { name: "Attempts by outcome" }).locator("b");
    await expect.poll(() => outcomes.allTextContents(), patience).toEqual([String(shards.length), "0", "0", "0"]);

    project.touch("fast");
    const again = project.start(words);
    await expect.poll(() => stateOf(page), patience).toBe("complete");
    expect((await again.ended).status).toBe(0);
    expect(complaints).toEqual([]);
  });
});
