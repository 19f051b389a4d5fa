import type { Plan } from "../../plan/plan.ts";
import type { RunPaths } from "../files/run-paths.ts";

/** A run: the paths of its folder and the plan in its manifest. It is passed by reference. */
export interface Run {
  readonly paths: RunPaths;
  readonly plan: Plan;
}
