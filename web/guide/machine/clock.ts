interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
  /** Whether it is still needed: events of an ended program do not happen and take no time. */
  readonly isDue: () => boolean;
  isCancelled: boolean;
}

/** A scheduled event. */
export interface ScheduledEvent {
  cancel(): void;
}

/**
 * The time of the machine: it does not advance while programs run, and jumps to the next scheduled event. So an hour of
 * waiting takes no time, and everything happens in the same order each time.
 */
export class Clock {
  nowMs = 0;
  #events: Event[] = [];
  #order = 0;

  after(ms: number, act: () => void, isDue: () => boolean = () => true): ScheduledEvent {
    const event: Event = { atMs: this.nowMs + Math.max(0, ms), order: this.#order++, act, isDue, isCancelled: false };
    // Most events are soon: searched from the end, where the soonest are.
    let place = this.#events.length;
    while (place > 0 && isBefore(this.#events[place - 1]!, event)) place--;
    this.#events.splice(place, 0, event);
    return {
      cancel() {
        event.isCancelled = true;
      },
    };
  }

  /** Runs the next event; false if there is none. */
  step(): boolean {
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      if (event.isCancelled || !event.isDue()) continue;
      this.nowMs = event.atMs;
      event.act();
      return true;
    }
    return false;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
