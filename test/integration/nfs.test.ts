import { describe, expect, it } from "vitest";
import { because } from "../support/clusters/why-not.ts";
import { runNfsGuest, whyNotNfs } from "../support/file-systems/nfs-guest.ts";

const reason = whyNotNfs();

describe.runIf(reason === undefined)(`two hosts on NFS with the kernel's client and server${because(reason)}`, () => {
  it("end well with equal bytes: undisturbed, with a restart of the server, with a killed worker", async () => {
    const { results, console: text } = await runNfsGuest();
    const names = ["4", "3"].flatMap((version) => ["none", "restart", "kill"].map((what) => `nfs${version}-${what}`));
    expect([...results.keys()], text).toEqual([...names, "end"]);
    for (const name of names) expect(results.get(name), text).toMatch(/^codes=0-0 bytes=equal seconds=\S+ left=0$/);
  }, 1_000_000);
});
