// The map of 10,000 shards in Debian's Chromium: how smoothly it scrolls, and how soon it is visible.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { inFolder, median, memory, row } from "./measure.mjs";
import { runTiny } from "./tiny.mjs";

const program = fileURLToPath(new URL("../dist/cli/millrace.js", import.meta.url));
const browserProgram = "/usr/bin/chromium";
const shards = 10_000;

export async function bench() {
  if (!existsSync(browserProgram)) return [];
  return inFolder(async (folder) => {
    const outputDir = join(folder, "run");
    await runTiny(outputDir, shards, { shards });
    const server = spawn(process.execPath, [program, "dashboard", outputDir, "--port", "0"]);
    const browser = await chromium.launch({ executablePath: browserProgram, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(await addressOf(server));
      await page.getByRole("link", { name: "shards" }).click();
      await page.locator(".map-tile canvas").first().waitFor();
      const shown = [];
      for (let i = 0; i < 5; i++) {
        const beganMs = performance.now();
        await page.reload();
        await page.locator(".map-tile canvas").first().waitFor();
        shown.push(performance.now() - beganMs);
      }
      const frames = await page.locator(".map").evaluate(scroll);
      const sorted = [...frames].sort((a, b) => a - b);
      return [
        row(`${shards} shards scrolled: a frame`, median(frames), "ms", 17),
        row("  95 of 100 frames take at most", sorted[Math.floor(0.95 * sorted.length)], "ms", 18),
        row("  from a reload until the map is there", median(shown), "ms", 1000),
      ];
    } finally {
      await browser.close();
      server.kill();
    }
  }, memory);
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    let said = "";
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (part) => {
        said += part;
        const [address] = /http:\/\/[^\s,]+/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
    server.once("exit", () => reject(new Error(`millrace dashboard ended: ${said}`)));
  });
}

/** Runs in the page: scrolls up and down for some seconds, while the pointer's cell moves. */
async function scroll(map) {
  const frames = [];
  let last = performance.now();
  let step = 12;
  for (const end = last + 4000; last < end; ) {
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    frames.push(now - last);
    last = now;
    map.scrollTop += step;
    map.dispatchEvent(
      new PointerEvent("pointermove", { clientX: 200 + (frames.length % 500), clientY: 400, bubbles: true }),
    );
    if (map.scrollTop <= 0 || map.scrollTop + map.clientHeight >= map.scrollHeight - 1) step = -step;
  }
  return frames.slice(1);
}
