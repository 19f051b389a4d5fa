import type { WorkerRequest } from "../messages.ts";

/** The requests of the launcher, as they arrive. */
export interface RequestInbox {
  /** Resolves when the launcher has prepared the run. */
  readonly begun: Promise<void>;
  readonly receive: (request: WorkerRequest) => void;
  /** Passes requests to this listener: first those that came before, then all others. */
  readonly subscribe: (listener: (request: WorkerRequest) => void) => void;
}

/** A worker is started before its run is prepared, so requests are kept until someone subscribes. */
export function openRequestInbox(): RequestInbox {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const kept: WorkerRequest[] = [];
  let pass = (request: WorkerRequest): void => void kept.push(request);
  return {
    begun,
    receive(request) {
      if (request.kind === "begin") begin();
      else pass(request);
    },
    subscribe(listener) {
      for (const request of kept) listener(request);
      pass = listener;
    },
  };
}
