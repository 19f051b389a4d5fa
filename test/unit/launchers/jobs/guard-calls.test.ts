import { describe, expect, it } from "vitest";
import { schedulers } from "../../../../src/launchers/choose-scheduler.ts";
import type { Call } from "../../../../src/launchers/jobs/scheduler.ts";
import { honestIds, hostileIds, hostileNames } from "../../../support/hostile-job-records.ts";

const texts = (values: readonly unknown[]) => values.filter((value): value is string => typeof value === "string");

describe.each(schedulers.map((scheduler) => [scheduler.env, scheduler] as const))(
  "the calls of %s",
  (env, scheduler) => {
    const good = honestIds[env as keyof typeof honestIds];

    it.each(texts(hostileIds).map((id) => [id.slice(0, 40), id]))("are not made about the id %j", (_short, id) => {
      expect(() => scheduler.status([good, id], {})).toThrow("is not an id of");
      expect(() => scheduler.cancel([good, id], {})).toThrow("is not an id of");
      if (scheduler.cancelWaiting !== undefined)
        expect(() => scheduler.cancelWaiting!(id, [0], {})).toThrow("is not an id of");
      if (scheduler.history !== undefined) expect(() => scheduler.history!.ask(id, {})).toThrow("is not an id of");
    });

    it.each(texts(hostileNames).map((name) => [name.slice(0, 40), name]))(
      "do not look for the name %j",
      (_short, name) => {
        expect(() => scheduler.find(name, {})).toThrow("is not the name of a submission");
      },
    );

    it("are made about an id that it gives, which is alone or after its option", () => {
      const calls: Call[] = [scheduler.status([good], {}), scheduler.cancel([good], {})];
      if (scheduler.cancelWaiting !== undefined) calls.push(scheduler.cancelWaiting(good, [0, 1], {}));
      if (scheduler.history !== undefined) calls.push(scheduler.history.ask(good, {}));
      expect(scheduler.cancel([good], {}).args.at(-1)).toBe(good);
      for (const { args } of calls)
        expect(args.filter((word) => word.startsWith("-") && word.endsWith(good))).toHaveLength(
          args.some((word) => word === `--jobs=${good}`) ? 1 : 0,
        );
      expect(scheduler.find("millrace-abc123", {}).program).not.toBe("");
    });

    it("take no id from an answer that is none", () => {
      expect(scheduler.idPattern.test("-1")).toBe(false);
      for (const answer of ["--all", "-1", "job.batch/--all", "OAR_ARRAY_ID=-1", "Job <-1> is submitted"])
        expect(scheduler.parseSubmitted(answer)).toBeUndefined();
    });
  },
);

it.each(["slurm", "oar", "kube"] as const)("two dashes stand before what %s is to cancel", (env) => {
  const scheduler = schedulers.find((one) => one.env === env)!;
  expect(scheduler.cancel([honestIds[env]], {}).args.slice(-2)).toEqual(["--", honestIds[env]]);
});
