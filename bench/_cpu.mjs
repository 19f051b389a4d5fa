import { runByHand } from "./hand-made.mjs";
import { BenchRunner, runBench } from "./worker-jobs.mjs";
const [side, n, env] = process.argv.slice(2);
const t=performance.now();
const o={outputDir:`/dev/shm/cpu-${process.pid}`, count:Number(n), job:{itemMs:0}, env: env??"process"};
await (side==="hand"?runByHand(o):runBench(BenchRunner,o));
console.log(side, (performance.now()-t).toFixed(0));
