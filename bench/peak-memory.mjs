// Run by the benchmark of tiny items in a separate process: prints its peak memory in megabytes.
import { bareLoop, runTiny } from "./tiny.mjs";

const [job, path, count] = process.argv.slice(2);
if (job === "run") await runTiny(path, Number(count));
else bareLoop(path, Number(count));
console.log(process.resourceUsage().maxRSS / 1024);
