import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished, vi } from "vitest";
import { findProgram } from "../clusters/why-not.ts";

const program = findProgram("chromium") ?? findProgram("chromium-browser") ?? findProgram("google-chrome");

/** Why no test can open a browser, or undefined when they can. */
export const whyNotBrowser: string | undefined =
  program === undefined ? "not installed: chromium (Debian's package of that name)" : undefined;

/** Times, numbers and colours as the tests expect them, on whichever machine. */
const neutral: BrowserContextOptions = {
  locale: "en-GB",
  timezoneId: "UTC",
  colorScheme: "light",
  reducedMotion: "reduce",
  viewport: { width: 1440, height: 900 },
};

// A browser on a busy machine takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

let launched: Promise<Browser> | undefined;

// One for all tests of a file.
afterAll(async () => (await launched)?.close());

/** The browser of this test file. */
function openBrowser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: program!,
    // A container has neither a sandbox for root nor much shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb"],
  });
  return launched;
}

/** A page that keeps what went wrong in it: exceptions, errors of the console, violations of the policy, other hosts. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What a user's console would show in red, and every breach of the content security policy. */
  readonly complaints: readonly string[];
  /** Every address that was asked for. */
  readonly requests: readonly string[];
}

/** Opens an empty page in a context of its own, which is closed with the test. */
export async function openPage(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await (await openBrowser()).newContext({ ...neutral, ...options });
  onTestFinished(() => context.close());
  // A busy machine is no failure; the test's own limit is.
  context.setDefaultTimeout(0);
  const complaints: string[] = [];
  const requests: string[] = [];
  await context.exposeFunction("millraceComplain", (text: string) => void complaints.push(text));
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    millraceComplain("policy: " + event.effectiveDirective + " " + event.blockedURI + " " + event.sample), true)`);
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(`exception: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => requests.push(request.url()));
  return { page, context, complaints, requests };
}
