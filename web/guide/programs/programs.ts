// What runs on the machine of the guide: the programs of the library as they are, with the example for the user's own. The
// build makes one function of this file (scripts/build-guide.mjs), which is called once for each process and each thread.
import type { Platform } from "../machine/program.ts";

declare const platform: Platform;

switch (platform.entry) {
  case "main":
    await import("../example/main.ts");
    break;
  case "job-process":
    await import("../../../src/job/job-process.ts");
    break;
  case "worker-process":
    await import("../../../src/join/worker-process.ts");
    break;
  case "worker-thread":
    await import("../../../src/join/worker-thread.ts");
    break;
  case "heartbeat-thread":
    await import("../../../src/worker/heartbeat-thread.ts");
    break;
}
