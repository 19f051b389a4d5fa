// A dashboard that others can reach: at an address of this machine that is not loopback, in a browser that trusts it less.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished } from "vitest";
import { openPage, whyNotBrowser } from "../support/browser/browser.ts";
import { makeProject, type Project } from "../support/cli/project.ts";
import { because } from "../support/clusters/why-not.ts";

const address = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const whyNot = whyNotBrowser ?? (address === undefined ? "this machine has no address but loopback" : undefined);
const patience = { timeout: 200_000 };

/** Starts `millrace dashboard` where others can reach it; returns the address that it prints, with its token and without. */
async function startDashboard(project: Project) {
  const { child, seen } = project.start(["dashboard", "exp/job", "--host", address!, "--port", "0"]);
  let said = "";
  child.stdout!.on("data", (part: string) => (said += part));
  await seen(/http:\/\/\S+\n/);
  const link = said.trim();
  const token = new URL(link).searchParams.get("token")!;
  return { link, token, plain: link.replace(/\?.*/, "") };
}

/** A page of another origin that has a link; returns its address and the requests it got. */
async function startOtherPage(link: string, host = "127.0.0.1") {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.setHeader("content-type", "text/html").end(`<link rel="icon" href="data:,"><a href="${link}">see it</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://${host}:${(server.address() as AddressInfo).port}/` };
}

describe.skipIf(whyNot)(`a dashboard that others can reach${because(whyNot)}`, () => {
  it("refuses a browser without the token, and one with a wrong token, in words", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const { plain, token } = await startDashboard(project);
    const { page, context } = await openPage();
    for (const place of [plain, `${plain}?token=${token}x`, `${plain}app.js`, `${plain}guide/`]) {
      const answer = await page.goto(place);
      expect([place, answer?.status()]).toEqual([place, 401]);
      const said = await page.locator("body").textContent();
      expect(said?.trim()).toBe("Open the address with the token that the dashboard printed.");
    }
    expect(await context.cookies()).toEqual([]);
  });

  it("opens with the link that it prints, and shows, follows and stops a run", async () => {
    const project = makeProject();
    const words = ["items=5000", "slow_until=go", "says=true", "parallel.env=process"];
    const run = project.start(["run", "job.yaml", ...words]);
    await expect.poll(() => project.names("exp/job/.millrace/workers").length, patience).toBeGreaterThan(0);
    const { link, token, plain } = await startDashboard(project);
    const { page, context, complaints, requests } = await openPage();
    await page.goto(link);
    const state = page.locator(".run-name .chip");
    await expect.poll(() => state.textContent(), patience).toBe("running");
    const done = page.locator('dl div:has(dt:text-is("Items")) dd');
    const before = await done.textContent();
    await expect.poll(() => done.textContent(), patience).not.toBe(before);
    await page.getByRole("link", { name: "logs" }).click();
    await page.getByRole("log").filter({ hasText: "at item" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the run" }).click();
    await expect.poll(() => state.textContent(), patience).toBe("stopped");
    expect((await run.ended).status).not.toBe(0);

    // The token was in the first request, and is nowhere that a script, a neighbour at the screen or a bookmark sees it.
    expect(requests.filter((one) => one.includes(token))).toEqual([link]);
    const seen = await page.evaluate(() => [
      location.href,
      document.cookie,
      document.referrer,
      document.documentElement.outerHTML,
      JSON.stringify([localStorage, sessionStorage, history.state]),
      JSON.stringify(performance.getEntries()),
    ]);
    expect(seen.filter((text) => text.includes(token))).toEqual([]);
    await page.goBack();
    expect(page.url().startsWith(`${plain}#`)).toBe(true);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ value: token, httpOnly: true, sameSite: "Lax", domain: address });
    expect(complaints).toEqual([]);
  });

  it("opens from a page of another site that has the link, and reveals nothing to that site", async () => {
    const project = makeProject();
    await project.run("run", "job.yaml");
    const { link, token, plain } = await startDashboard(project);
    const site = await startOtherPage(link);
    const { page, complaints } = await openPage();
    await page.goto(site.url);
    await page.getByRole("link", { name: "see it" }).click();
    await page.locator(".run-name .chip", { hasText: "complete" }).waitFor();
    expect(page.url().startsWith(`${plain}#`)).toBe(true);
    await page.evaluate((url) => {
      location.href = `${url}from-the-dashboard`;
    }, site.url);
    await page.waitForURL("**/from-the-dashboard");
    const { url, headers } = site.asked.at(-1)!;
    expect([url, headers.referer]).toEqual(["/from-the-dashboard", undefined]);
    expect(JSON.stringify(site.asked.map((one) => [one.url, one.headers]))).not.toContain(token);
    expect(complaints).toEqual([]);
  });

  it.each([
    ["another site", "127.0.0.1"],
    // Its requests bring the cookie along.
    ["another port of the same machine", address],
  ])("does nothing for a page of %s, though the browser knows the token", async (_whose, host) => {
    const project = makeProject();
    await project.run("run", "job.yaml", "fails=[2]");
    const { link, plain } = await startDashboard(project);
    const site = await startOtherPage(plain, host);
    const { page } = await openPage();
    await page.goto(link);
    await page.locator(".run-name .chip", { hasText: "complete" }).waitFor();
    const id = /#\/run\/([^/]+)/.exec(page.url())![1];
    await page.goto(site.url);
    const outcomes = await page.evaluate(
      async ({ base, run }) => {
        const attempt = (path: string, init: RequestInit) =>
          fetch(base + path, { credentials: "include", ...init }).then(
            async (response) => `${response.type} ${response.status} ${await response.text()}`,
            () => "refused",
          );
        const headers = { "content-type": "application/json", "x-millrace": "1" };
        return [
          await attempt("api/runs", {}),
          await attempt("api/runs", { mode: "no-cors" }),
          await attempt(`api/runs/${run}/retry`, { method: "POST", headers, body: "{}" }),
          await attempt(`api/runs/${run}/retry`, { method: "POST", mode: "no-cors", body: "{}" }),
        ];
      },
      { base: plain, run: id },
    );
    expect(outcomes.filter((text) => text !== "refused" && !/^opaque 0 $/.test(text))).toEqual([]);
    expect(project.names("exp/job/.millrace/logs").filter((name) => name.includes("retry"))).toEqual([]);
    // A plain link leads there nevertheless.
    await page.getByRole("link", { name: "see it" }).click();
    await page.locator(".run-name .chip", { hasText: "complete" }).waitFor();
  });
});
