interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
  /** Whether it still matters: what a program that has ended was waiting for does not happen, and takes no time. */
  readonly isDue: () => boolean;
  isCancelled: boolean;
}

/** Something that will happen, unless it is cancelled. */
export interface Appointment {
  cancel(): void;
}

/**
 * The time of the machine: it stands still while programs run and jumps to the next thing that is due. So an hour of waiting
 * takes no time, and everything happens in the same order each time.
 */
export class Clock {
  nowMs = 0;
  #events: Event[] = [];
  #order = 0;

  after(ms: number, act: () => void, isDue: () => boolean = () => true): Appointment {
    const event: Event = { atMs: this.nowMs + Math.max(0, ms), order: this.#order++, act, isDue, isCancelled: false };
    // Mostly something soon: looked for from the end, which is where the soonest stand.
    let place = this.#events.length;
    while (place > 0 && isBefore(this.#events[place - 1]!, event)) place--;
    this.#events.splice(place, 0, event);
    return {
      cancel() {
        event.isCancelled = true;
      },
    };
  }

  /** Lets the next thing happen; false where nothing is to come. */
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
