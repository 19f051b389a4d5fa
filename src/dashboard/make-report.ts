import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ReportData } from "./run-view.ts";

/** Every report contains this near its beginning. A file without it is not overwritten. */
export const reportMark = '<meta name="generator" content="millrace report" />';

/**
 * One self-contained page: the built page, its style sheet and the data. It loads nothing, and its policy allows only
 * the script with the given digest.
 */
export function makeReport(data: ReportData, folder: URL): string {
  const read = (name: string) => readFileSync(new URL(name, folder), "utf8");
  const [script, style] = [read("app.js"), read("app.css")];
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8" />',
    reportMark,
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="color-scheme" content="light dark" />',
    `<title>${asText(data.snapshot.overview.runDir)}: report of millrace</title>`,
    '<link rel="icon" href="data:," />',
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    '<div id="app"></div>',
    "<noscript>This report draws itself with JavaScript. The page contains its data as JSON.</noscript>",
    `<script type="application/json" id="report-data">${asJson(data)}</script>`,
    `<script type="module">${script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function digest(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON that cannot close its element, whatever names the data contains. */
function asJson(data: ReportData): string {
  return JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function asText(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
