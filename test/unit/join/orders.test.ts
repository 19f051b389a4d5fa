import { describe, expect, it } from "vitest";
import { openOrders } from "../../../src/join/orders.ts";
import { beginOrder, leaveOrder, warnedOrder } from "../../../src/worker/worker-line.ts";

describe("the orders of a worker", () => {
  it("let it wait until the run is prepared", async () => {
    const orders = openOrders();
    const heard: string[] = [];
    void orders.begun.then(() => heard.push("begun"));
    orders.take(leaveOrder);
    await Promise.resolve();
    expect(heard).toEqual([]);
    orders.take(beginOrder);
    await orders.begun;
    expect(heard).toEqual(["begun"]);
  });

  it("are kept, in their order, until somebody hears them", () => {
    const orders = openOrders();
    const heard: unknown[] = [];
    orders.take(warnedOrder);
    orders.take(beginOrder);
    orders.take(leaveOrder);
    orders.hear((order) => heard.push(order));
    expect(heard).toEqual([warnedOrder, leaveOrder]);
    orders.take(leaveOrder);
    expect(heard).toEqual([warnedOrder, leaveOrder, leaveOrder]);
  });
});
