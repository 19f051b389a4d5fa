import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { ShardLetter } from "../../src/dashboard/run-view.ts";
import { whyNotBrowser } from "../support/browser/browser.ts";
import { madeUpSnapshot } from "../support/browser/made-up-run.ts";
import { startMadeUpServer } from "../support/browser/made-up-server.ts";
import { openMadeUpPage } from "../support/browser/open-made-up-page.ts";
import { because } from "../support/clusters/why-not.ts";

const shards = 10_000;

/** Counts what is drawn on any canvas of the page. */
async function countDrawings(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { drawings: number };
    counted.drawings = 0;
    const { prototype } = CanvasRenderingContext2D;
    for (const name of ["drawImage", "fill", "fillRect", "stroke"] as const) {
      const draw = prototype[name] as (...args: unknown[]) => void;
      Object.defineProperty(prototype, name, {
        value(this: CanvasRenderingContext2D, ...args: unknown[]) {
          counted.drawings++;
          return draw.apply(this, args);
        },
      });
    }
  });
  return () => page.evaluate(() => (globalThis as unknown as { drawings: number }).drawings);
}

describe.skipIf(whyNotBrowser)(`the map of 10,000 shards${because(whyNotBrowser)}`, () => {
  it("draws each cell once, a cell again when its shard changes, and nothing for scrolling or pointing", async () => {
    const server = await startMadeUpServer(madeUpSnapshot({ shards }));
    const { page, complaints } = await openMadeUpPage();
    const drawings = await countDrawings(page);
    await page.goto(`${server.url}#/run/prep/shards`);
    const map = page.getByRole("slider", { name: /Map of the shards/ });
    await map.waitFor();

    const scroll = () =>
      map.evaluate(async (element) => {
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        for (let top = 0; top <= element.scrollHeight; top += 60) {
          element.scrollTop = top;
          await frame();
        }
        await frame();
        return element.scrollHeight - element.clientHeight;
      });
    expect(await scroll()).toBeGreaterThan(100);
    const afterFirst = await drawings();
    // Six more: the shapes of the states.
    expect(afterFirst).toBe(shards + 6);
    await scroll();
    const box = (await map.boundingBox())!;
    for (let i = 0; i < 20; i++) await page.mouse.move(box.x + 20 + 30 * i, box.y + 40 + 5 * i);
    expect(await page.getByRole("status").filter({ hasText: "Shard" }).count()).toBe(1);
    expect(await drawings()).toBe(afterFirst);

    const { overview } = madeUpSnapshot({ shards });
    const changes: [number, ShardLetter][] = [6000, 6001, 9999].map((shard) => [shard, "c"]);
    server.update({ overview: { ...overview, itemsPerSecond: 77 }, shards: changes, attempts: [], rates: [] });
    await expect.poll(drawings).toBe(afterFirst + 3);
    // Again the same: nothing has changed.
    server.update({ overview: { ...overview, itemsPerSecond: 78 }, shards: changes, attempts: [], rates: [] });
    await page.getByRole("link", { name: "workers" }).click();
    expect(await drawings()).toBe(afterFirst + 3);
    expect(complaints).toEqual([]);
  });

  it("shows each state where it is, in its colour", async () => {
    const server = await startMadeUpServer(madeUpSnapshot({ shards }));
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/shards`);
    await page.locator(".map-tile canvas").first().waitFor();
    const colours = await page
      .locator(".map-tile canvas")
      .first()
      .evaluate((canvas: HTMLCanvasElement) => {
        const context = canvas.getContext("2d")!;
        // The second pixel of a cell is within the shape of every state.
        const at = (shard: number, cell: number) => {
          const columns = Math.round(canvas.width / cell);
          const place = [(shard % columns) * cell + 1, Math.floor(shard / columns) * cell + 1] as const;
          return [...context.getImageData(...place, 1, 1).data].join(",");
        };
        return { committed: at(0, 10), alsoCommitted: at(12, 10), failed: at(13, 10), damaged: at(40, 10) };
      });
    expect(colours.committed).toBe("11,107,143,255");
    expect(colours.alsoCommitted).toBe(colours.committed);
    expect(new Set(Object.values(colours)).size).toBe(3);
  });

  it("opens the shard that is clicked", async () => {
    const server = await startMadeUpServer(madeUpSnapshot({ shards }));
    const { page } = await openMadeUpPage();
    await page.goto(`${server.url}#/run/prep/shards`);
    const map = page.getByRole("slider", { name: /Map of the shards/ });
    await map.click({ position: { x: 35, y: 7 } });
    await page.getByRole("heading", { name: "Shard 3", exact: true }).waitFor();
    await page.getByText("300 to 399").waitFor();
    expect(page.url()).toContain("#/run/prep/shards/3");
  });
});
