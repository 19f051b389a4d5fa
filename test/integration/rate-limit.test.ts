import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { largestBurst } from "../support/rate-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const caller = fileURLToPath(new URL("../fixtures/children/rate-caller.ts", import.meta.url));

interface Called {
  /** When calls began, by the clock that all processes of this host share. */
  readonly begun: readonly number[];
}

/** A process that begins calls for so long as the folder's rate limit lets it. */
async function callFrom(folder: string, seconds: number): Promise<Called> {
  const child = spawn(process.execPath, ["--import", "tsx", caller, folder, String(seconds)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  return JSON.parse(output) as Called;
}

it("processes share the rate of a folder and never exceed it", async () => {
  const folder = temporaryFolder();
  const called = await Promise.all([1, 2, 3].map(() => callFrom(folder, 2)));
  const begun = called.flatMap((child) => child.begun);
  for (const child of called) expect(child.begun.length).toBeGreaterThan(0);
  // The burst by default is 6; one more for a process that the system paused after it had looked at the clock. The model
  // of the limiter in the unit tests has no such pause, and no such allowance.
  expect(largestBurst(begun, 50)).toBeLessThanOrEqual(7);
});
