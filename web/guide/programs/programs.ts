// What runs on the machine of the guide: the unmodified programs of the library, with the example as the user's code.
// The build makes one function of this file (scripts/build-guide.mjs), which is called once for each process and each
// thread.
import type { Platform } from "../machine/program.ts";

declare const platform: Platform;

switch (platform.entry) {
  case "main":
    await import("../example/main.ts");
    break;
  case "job-process":
    await import("../../../src/node-job/job-process.ts");
    break;
  case "worker-process":
    await import("../../../src/worker/main/worker-process.ts");
    break;
  case "worker-thread":
    await import("../../../src/worker/main/worker-thread.ts");
    break;
  case "heartbeat-thread":
    await import("../../../src/worker/heartbeat/heartbeat-thread.ts");
    break;
}
