// npm start: sets up what is missing and runs the example job on data that it makes itself.
import { ensureBuilt, ensureInstalled, run } from "./ensure.mjs";

ensureInstalled();
ensureBuilt();
run(process.execPath, ["examples/prep/main.mjs", ...process.argv.slice(2)]);
