// npm start: sets up what is missing and runs the example job on data that it makes itself.
import { ensureBuilt, ensureInstalled, run } from "./ensure.mjs";

const mainJob = "examples/xvector/main.mjs";

ensureInstalled();
ensureBuilt();
run(process.execPath, [mainJob, ...process.argv.slice(2)]);
