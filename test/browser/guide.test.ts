// The guide in a real browser: stepped through in every env, by mouse and keyboard, small and wide, light and dark.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolations of configs are what is tested
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { parallelEnvs } from "../../src/config/parallel-envs.ts";
import { toolkitNames } from "../../src/recipes/xvector/toolkits/toolkit-names.ts";
import { usualSettings } from "../../web/guide/story/settings.ts";
import { providerCode, runnerCode } from "../../web/guide/xvector/toolkit-code.ts";
import { toolkitFacts } from "../../web/guide/xvector/toolkit-facts.ts";
import { whyNotBrowser } from "../support/browser/browser.ts";
import { openGuide, patienceMs, storyTold } from "../support/browser/open-guide.ts";
import { because } from "../support/clusters/why-not.ts";
import { recordStory } from "../support/guide/load-simulation.ts";

const built = fileURLToPath(new URL("../../dist/web/guide/", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Waits until the page says so: it draws a moment after a click. */
const says = (page: Page, text: string | RegExp) => page.locator(".said", { hasText: text }).waitFor();
const titleOf = (page: Page) => page.locator(".said h2").textContent();
const treeOf = (page: Page) =>
  page
    .locator(".tree li")
    .evaluateAll((entries) =>
      entries.map(
        (entry) =>
          entry.querySelector("button")?.getAttribute("aria-label") ?? entry.querySelector("span")!.textContent,
      ),
    );

async function violations(page: Page): Promise<string[]> {
  // As part of the page's own script, which the policy of the page does not forbid to a debugger.
  await page.evaluate(axe);
  const { violations: found } = (await page.evaluate("axe.run()")) as AxeResults;
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

describe.skipIf(whyNotBrowser !== undefined)(
  `the guide in a browser${because(whyNotBrowser)}`,
  {
    timeout: 2 * patienceMs,
  },
  () => {
    it("goes through every step in every env and shows at the end what the library leaves", async () => {
      const { page, complaints } = await openGuide("#detail=true&items=2&shards=2");
      for (const env of parallelEnvs) {
        await page.locator("select[name=env]").selectOption(env);
        // The config that is shown is that of the story, so it changes with it.
        const config = page.locator(".source pre").first();
        await expect.poll(() => config.textContent(), { timeout: patienceMs }).toContain(`  env: ${env}\n`);
        const story = await recordStory({ ...usualSettings, env, items: 2, shards: 2 });
        const next = page.getByRole("button", { name: "Next" });
        const titles = await page.evaluate(async (steps) => {
          const seen: (string | null)[] = [];
          const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Next")!;
          for (let i = 0; i < steps; i++) {
            seen.push(document.querySelector(".said h2")!.textContent);
            const where = document.querySelector(".where")!;
            const before = where.textContent;
            button.click();
            while (!button.disabled && where.textContent === before)
              await new Promise((resolve) => setTimeout(resolve));
          }
          return seen;
        }, story.steps.length);
        expect(titles).toEqual(story.steps.map(({ title }) => title));
        expect(await next.isDisabled()).toBe(true);
        const last = story.steps.at(-1)!.files;
        const folderName = (path: string) => `${path.split("/").at(-2)}/`;
        expect(await treeOf(page)).toEqual(
          last.map(({ path, bytes }) => (bytes === undefined ? folderName(path) : path)),
        );
      }
      expect(complaints).toEqual([]);
    });

    it("shows a kill, a resume, the text of a file and the line of code beside it", async () => {
      const { page } = await openGuide("#killWorker=forward");
      await page.getByRole("button", { name: "resume", exact: true }).click();
      await says(page, "Worker 3 continues from the checkpoint of attempt 1");
      expect(await page.locator(".line.active").last().textContent()).toContain("copyFiles(fenced, attemptDir");
      await page.getByRole("button", { name: ".millrace/attempts/1.1.fenced/.exit" }).click();
      expect(
        await page.getByRole("region", { name: "Text of .millrace/attempts/1.1.fenced/.exit" }).textContent(),
      ).toMatch(/^\{"signal":"SIGKILL",/);
      expect(await page.getByRole("region", { name: "Output" }).textContent()).toContain("was ended by SIGKILL");
    });

    it("can be linked to: the address holds the settings and the step", async () => {
      const { page, address } = await openGuide("#env=slurm&badItem=4");
      for (let i = 0; i < 7; i++) await page.getByRole("button", { name: "Next" }).click();
      await says(page, /Step 8 of/);
      const [title, link] = [await titleOf(page), page.url()];
      expect(link.startsWith(`${address}#env=slurm&badItem=4&step=`)).toBe(true);
      await page.goto("about:blank");
      await page.goto(link);
      await storyTold(page);
      await says(page, /Step 8 of/);
      expect(await titleOf(page)).toBe(title);
      expect(await page.locator("select[name=env]").inputValue()).toBe("slurm");
    });

    it("is worked by keyboard alone", async () => {
      const { page } = await openGuide();
      await page.keyboard.press("ArrowRight");
      await says(page, /Step 2 of/);
      await page.keyboard.press("ArrowLeft");
      await says(page, /Step 1 of/);
      await page.locator("input[name=step]").focus();
      await page.keyboard.press("End");
      await says(page, "The run is complete");
      await page.locator("select[name=env]").focus();
      await page.keyboard.press("ArrowUp");
      await page.locator(".source .scroll", { hasText: "env: local" }).waitFor();
    });

    it("shows what each toolkit makes of an x-vector config, its sentence, its dimension and its code", async () => {
      const { page } = await openGuide();
      const section = page.locator(".xvector");
      for (const toolkit of toolkitNames) {
        const { sentence, dimension } = toolkitFacts[toolkit];
        await page.locator("select[name=toolkit]").selectOption(toolkit);
        await section.locator(".scroll", { hasText: `toolkit: ${toolkit}\n` }).waitFor();
        expect(await section.locator(".toolkit").textContent()).toBe(`${sentence} Numbers in a vector: ${dimension}.`);
        const shown = await section.locator(".source .scroll").allTextContents();
        expect(shown.slice(1)).toEqual([providerCode(toolkit), runnerCode(toolkit)]);
        expect(shown[0]).toContain("save_path: ${data_dir}/x_vectors\n");
        expect(await section.getByRole("button", { name: /^Copy / }).count()).toBe(3);
      }
      await page.locator("select[name=toolkit]").selectOption("wespeaker");
      await section.locator(".scroll", { hasText: "toolkit: wespeaker" }).waitFor();
      expect(await section.locator(".facts .own").allTextContents()).toContain("min_frames8 its own");
      await section.getByText("Every key of xvector", { exact: true }).click();
      const texts = await section.locator(".fields dd").allTextContents();
      expect(texts.length).toBeGreaterThan(30);
      expect(texts.filter((text) => !/^\w|^`|^\[/.test(text))).toEqual([]);
    });

    it("copies a config, and says so; or that the browser does not let it", async () => {
      const { page } = await openGuide();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const button = page.getByRole("button", { name: "Copy xvector.yaml" });
      await button.click();
      await button.getByText("Copied").waitFor();
      const shown = await page.locator(".xvector .scroll", { hasText: "save_path" }).textContent();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
      await page.context().clearPermissions();
      await page.evaluate(() =>
        Object.defineProperty(navigator.clipboard, "writeText", { value: () => Promise.reject(new Error("denied")) }),
      );
      await button.getByText("Copy", { exact: true }).waitFor();
      await button.click();
      await button.getByText("Not allowed").waitFor();
    });

    it.each([
      ["a phone, light", { viewport: { width: 320, height: 640 } }],
      ["a wide screen, dark", { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" as const }],
      ["a tablet, light", { viewport: { width: 820, height: 1100 } }],
    ])("has nothing that axe complains about, and does not scroll sideways, on %s", async (_name, options) => {
      const { page } = await openGuide("#env=slurm&killWorker=forward&pause=true&step=60", options);
      await page.getByText("Every key of xvector", { exact: true }).click();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    });

    it("sends requests to its own server only, and keeps its own policy", async () => {
      const { requests, complaints, address } = await openGuide("#killWorker=commit");
      expect(requests.filter((url) => !url.startsWith(address))).toEqual([]);
      expect(complaints).toEqual([]);
    });
  },
);

describe("the guide as it is built", () => {
  it("is at most 250 kB when compressed", () => {
    const sizes = readdirSync(built).map((name) => gzipSync(readFileSync(join(built, name))).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(250_000);
  });

  it("has no script or style within its page", () => {
    const page = readFileSync(join(built, "index.html"), "utf8");
    expect(page).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/);
    expect(page).not.toMatch(/https?:\/\//);
  });
});
