// Run by the benchmark of tiny items in a process of its own: prints its peak memory in megabytes.
import { runTiny } from "./tiny.mjs";

await runTiny(process.argv[2], Number(process.argv[3]));
console.log(process.resourceUsage().maxRSS / 1024);
