import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { makeReport, reportMark } from "../../../src/dashboard/make-report.ts";
import type { ReportData } from "../../../src/dashboard/run-view.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const data = (runDir: string) => ({ snapshot: { overview: { runDir } } }) as ReportData;

function builtPage(): URL {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "app.js"), "run();");
  writeFileSync(join(folder, "app.css"), "p{color:red}");
  return pathToFileURL(`${folder}/`);
}

describe("makeReport", () => {
  it("keeps data that could end its element as the same data", () => {
    const name = '</script><script>alert(1)</script> <!-- & \u2028 "';
    const page = makeReport(data(name), builtPage());
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).not.toContain("<!-- ");
    const [, json] = /id="report-data">(.*?)<\/script>/.exec(page)!;
    expect(json).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(json!)).toEqual(data(name));
  });

  it("names its run in the title, as text", () => {
    expect(makeReport(data("a</title><b>"), builtPage())).toContain("<title>a&#60;/title&#62;&#60;b&#62;: report");
  });

  it("lets its own script and style run, by their digests, and nothing else", () => {
    const page = makeReport(data("run"), builtPage());
    const digest = (text: string) => createHash("sha256").update(text).digest("base64");
    const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)!;
    expect(policy!.split("; ")).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${digest("run();")}'`,
      `style-src 'sha256-${digest("p{color:red}")}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page).toContain('<script type="module">run();</script>');
  });

  it("is known as a report by its beginning", () => {
    expect(makeReport(data("x".repeat(5000)), builtPage()).slice(0, 1024)).toContain(reportMark);
  });
});
