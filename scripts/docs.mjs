// npm run docs: builds docs/ and the API reference into site/. --serve [--port N] shows it; --out DIR builds it
// elsewhere; --no-reference skips the reference, which takes most of the time.
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ensureInstalled, ensureReference, root } from "./ensure.mjs";

const { values } = parseArgs({
  options: {
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "8080" },
    out: { type: "string", default: join(root, "site") },
    "no-reference": { type: "boolean", default: false },
  },
});
ensureInstalled();

const reference = values["no-reference"] ? undefined : await ensureReference();
for (const warning of reference?.warnings ?? []) console.error(warning);
const { buildSite } = await import("./docs/build-site.mjs");
const out = resolve(values.out);
const { pages, broken } = await buildSite({ out, reference: reference?.folder });
for (const link of broken) console.error(`leads nowhere: ${link}`);
console.log(`${pages} pages in ${relative(process.cwd(), out) || out}`);
if (broken.length > 0 || reference?.warnings.length > 0) process.exitCode = 1;
if (values.serve) {
  const { serveSite } = await import("./docs/serve-site.mjs");
  console.log(`${await serveSite(out, { port: Number(values.port) })}  (Ctrl-C ends)`);
}
