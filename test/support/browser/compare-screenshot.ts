import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const folder = fileURLToPath(new URL("../../golden/screenshots/", import.meta.url));
const scale = 4;

interface Looks {
  /** What is not looked at. */
  readonly mask?: Locator[];
  /** The part of the page that may look different. Default: a few in a hundred, since words are not as long in every font. */
  readonly most?: number;
}

/**
 * Compares what a page looks like with a kept picture, a quarter as large: lines of text become grey bars, so that
 * another font of the same size is no difference, and a part that is missing, moved or of another colour is one.
 * MILLRACE_GOLDEN=1 writes the pictures, for you to look at.
 */
export async function expectToLookLike(
  page: Page,
  name: string,
  { mask = [], most = 0.04 }: Looks = {},
): Promise<void> {
  const shot = await page.screenshot({ animations: "disabled", caret: "hide", mask, maskColor: "#808080" });
  const path = `${folder}${name}.png`;
  const kept = existsSync(path) ? readFileSync(path).toString("base64") : undefined;
  const { small, changed } = await page
    .context()
    .browser()!
    .newPage()
    .then(async (blank) => {
      try {
        return await blank.evaluate(compare, { shot: shot.toString("base64"), kept, scale });
      } finally {
        await blank.close();
      }
    });
  if (process.env["MILLRACE_GOLDEN"] !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, Buffer.from(small, "base64"));
    return;
  }
  expect(kept, `${path} is there`).toBeDefined();
  expect(changed, `the part of ${name} that looks different`).toBeLessThan(most);
}

interface Pictures {
  readonly shot: string;
  readonly kept: string | undefined;
  readonly scale: number;
}

/** Runs in the browser, which can read PNG. */
async function compare({ shot, kept, scale: times }: Pictures): Promise<{ small: string; changed: number }> {
  const open = async (text: string, shrink: number) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const [width, height] = [Math.round(image.width / shrink), Math.round(image.height / shrink)];
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(image, 0, 0, width, height);
    return { canvas, width, height, data: context.getImageData(0, 0, width, height).data };
  };
  const now = await open(shot, times);
  const blob = new Uint8Array(await (await now.canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
  const small = btoa([...blob].map((byte) => String.fromCharCode(byte)).join(""));
  const before = kept === undefined ? undefined : await open(kept, 1);
  if (before === undefined || before.width !== now.width || before.height !== now.height) return { small, changed: 1 };
  // Means over blocks of 4 by 4, i.e. 16 by 16 pixels of the screen.
  const mean = ({ data, width, height }: typeof now, left: number, top: number, part: number) => {
    let [sum, count] = [0, 0];
    for (let y = top; y < Math.min(top + 4, height); y++)
      for (let x = left; x < Math.min(left + 4, width); x++, count++) sum += data[4 * (y * width + x) + part]!;
    return sum / count;
  };
  let [blocks, different] = [0, 0];
  for (let top = 0; top < now.height; top += 4)
    for (let left = 0; left < now.width; left += 4, blocks++)
      if ([0, 1, 2].some((part) => Math.abs(mean(now, left, top, part) - mean(before, left, top, part)) > 32))
        different++;
  return { small, changed: different / blocks };
}
