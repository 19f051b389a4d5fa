import { describe, expect, it } from "vitest";
import { sshCall } from "../../../../src/launchers/ssh/ssh-call.ts";
import { checkSshOptions } from "../../../../src/launchers/ssh/ssh-options.ts";

const task = { runDir: "/runs/one", name: "ssh-1a2b3c", task: 0 };
const callWith = (more: Readonly<Record<string, unknown>> = {}) =>
  sshCall("node1", checkSshOptions({ env: "ssh", nWorkers: 1, options: { hosts: ["node1"], ...more } }), task);

describe("a call of ssh", () => {
  it("gives up on a host that says nothing, before the login as after it", () => {
    const { args } = callWith();
    expect(args).toContain("BatchMode=yes");
    expect(args).toContain("ConnectTimeout=45");
    expect(args).toContain("ServerAliveInterval=15");
    expect(args).toContain("ServerAliveCountMax=3");
  });

  // Of settings that come twice ssh takes the first.
  it("leaves the last word to the user's own arguments", () => {
    const { args } = callWith({ ssh_arguments: ["-o", "ConnectTimeout=5"] });
    expect(args.indexOf("ConnectTimeout=5")).toBeGreaterThan(-1);
    expect(args.indexOf("ConnectTimeout=5")).toBeLessThan(args.indexOf("ConnectTimeout=45"));
  });
});
