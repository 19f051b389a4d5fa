// npm start: installs what is missing and runs the example job on generated data.
import { ensureBuilt, ensureInstalled, run } from "./ensure.mjs";

const mainJob = "examples/xvector/main.mjs";

ensureInstalled();
ensureBuilt();
run(process.execPath, [mainJob, ...process.argv.slice(2)]);
