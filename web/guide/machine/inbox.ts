import { Emitter } from "./emitter.ts";

/** Messages from the parent to a program: a message before the first listener is kept. */
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

  deliver(message: unknown): void {
    if (!this.emit("message", message)) this.#kept.push(message);
  }
}
