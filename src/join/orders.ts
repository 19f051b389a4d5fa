import { beginOrder } from "../worker/worker-line.ts";

/** What a worker is told by whoever started it. */
export interface Orders {
  /** The run is prepared. */
  readonly begun: Promise<void>;
  /** Takes an order in. */
  readonly take: (order: unknown) => void;
  /** From now on orders go to this listener, those of before first. */
  readonly hear: (listener: (order: unknown) => void) => void;
}

/** A worker is started before its run is prepared: what it is told meanwhile is kept. */
export function openOrders(): Orders {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const kept: unknown[] = [];
  let pass = (order: unknown): void => void kept.push(order);
  return {
    begun,
    take(order) {
      if (order === beginOrder) begin();
      else pass(order);
    },
    hear(listener) {
      for (const order of kept) listener(order);
      pass = listener;
    },
  };
}
