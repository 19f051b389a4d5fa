// What starts and ends a run, in one piece: a worker has the classes of its runner without it, and starts the faster.
export { chooseLauncher } from "../launchers/choose-launcher.ts";
export { driveRun } from "./drive-run.ts";
export { retryFailed } from "./retry-failed.ts";
export { submitRun } from "./submit-run.ts";
export { beforeTheEnd, withStopSignals } from "./with-stop-signals.ts";
