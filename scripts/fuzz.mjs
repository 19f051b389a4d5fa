// npm run fuzz -- [READER…] [CASES] [--seed=N] [--case=N]: 100,000 damaged files for every reader, or as many as given.
import { join } from "node:path";
import { ensureInstalled, root, run } from "./ensure.mjs";

ensureInstalled();
run(process.execPath, ["--import", "tsx", join(root, "test", "fuzz", "main.ts"), ...process.argv.slice(2)]);
