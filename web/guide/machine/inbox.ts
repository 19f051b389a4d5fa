import { Emitter } from "./emitter.ts";

/** What a program is told by whoever started it: a message that comes before anyone listens is kept. */
export class Inbox extends Emitter {
  readonly #kept: unknown[] = [];
  readonly #soon: (act: () => void) => void;

  constructor(soon: (act: () => void) => void) {
    super();
    this.#soon = soon;
  }

  override on(event: string, listener: (...values: never[]) => unknown): this {
    super.on(event, listener);
    if (event === "message") for (const message of this.#kept.splice(0)) this.#soon(() => this.emit(event, message));
    return this;
  }

  hear(message: unknown): void {
    if (!this.emit("message", message)) this.#kept.push(message);
  }
}
