import { render } from "preact";
import type { ReportData } from "../../src/dashboard/run-view.ts";
import { App } from "./app.tsx";
import { applyTheme } from "./parts/theme.ts";
import { Report } from "./report.tsx";
import { serverSource } from "./source/server-source.ts";

applyTheme();
// A report contains its data; a page without data came from a server.
const kept = document.getElementById("report-data")?.textContent;
const page = kept == null ? <App source={serverSource()} /> : <Report data={JSON.parse(kept) as ReportData} />;
render(page, document.getElementById("app")!);
