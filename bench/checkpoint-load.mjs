// Run by the benchmark of checkpoints in a separate process: converts one, loads the graph, and prints the milliseconds
// and the peak memory in megabytes.
import { writeFileSync } from "node:fs";
import { describeCheckpoint, loadOnnx } from "millrace/speech";

const [config, weights, onnx] = process.argv.slice(2);
const began = performance.now();
writeFileSync(onnx, describeCheckpoint({ toolkit: "speechbrain", config, weights }).convert());
const model = await loadOnnx(onnx);
const ms = performance.now() - began;
await model.release();
console.log(JSON.stringify({ ms, megabytes: process.resourceUsage().maxRSS / 1024 }));
