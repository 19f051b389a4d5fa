import { describe, expect, it } from "vitest";
import { openRequestInbox } from "../../../../src/worker/main/request-inbox.ts";

const begin = { kind: "begin" } as const;
const leave = { kind: "leave" } as const;
const signalled = { kind: "signalled" } as const;

describe("the orders of a worker", () => {
  it("let it wait until the run is prepared", async () => {
    const inbox = openRequestInbox();
    const heard: string[] = [];
    void inbox.begun.then(() => heard.push("begun"));
    inbox.receive(leave);
    await Promise.resolve();
    expect(heard).toEqual([]);
    inbox.receive(begin);
    await inbox.begun;
    expect(heard).toEqual(["begun"]);
  });

  it("are kept, in their order, until a listener is added", () => {
    const inbox = openRequestInbox();
    const heard: unknown[] = [];
    inbox.receive(signalled);
    inbox.receive(begin);
    inbox.receive(leave);
    inbox.subscribe((order) => heard.push(order));
    expect(heard).toEqual([signalled, leave]);
    inbox.receive(leave);
    expect(heard).toEqual([signalled, leave, leave]);
  });
});
