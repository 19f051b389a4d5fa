import type { WorkerRequest } from "../messages.ts";

/** The requests of the launcher to a worker. */
export interface RequestInbox {
  /** Resolves when the launcher has prepared the run. */
  readonly begun: Promise<void>;
  readonly receive: (request: WorkerRequest) => void;
  /** Passes all requests to this listener, first those that came before. */
  readonly subscribe: (listener: (request: WorkerRequest) => void) => void;
}

/** Opens an inbox that keeps requests until there is a subscriber: a worker is started before its run is prepared. */
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
