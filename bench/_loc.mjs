import { bareLoop, runTiny } from "./tiny.mjs";
const t=performance.now(); const c=process.cpuUsage();
if (process.argv[2]==="bare") bareLoop(`/dev/shm/loc-${process.pid}`,1000000); else await runTiny(`/dev/shm/loc-${process.pid}`,1000000);
const d=process.cpuUsage(c); console.log(process.argv[2],(performance.now()-t).toFixed(0), (d.user+d.system)/1000);
