type Listener = (...values: never[]) => unknown;

/** What the library needs of `EventEmitter`. */
export class Emitter {
  readonly #listeners = new Map<string, Listener[]>();

  on(event: string, listener: Listener): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }

  once(event: string, listener: Listener): this {
    const first: Listener = (...values) => {
      this.off(event, first);
      return listener(...values);
    };
    return this.on(event, first);
  }

  off(event: string, listener: Listener): this {
    this.#listeners.set(
      event,
      (this.#listeners.get(event) ?? []).filter((one) => one !== listener),
    );
    return this;
  }

  emit(event: string, ...values: readonly unknown[]): boolean {
    const listeners = this.#listeners.get(event) ?? [];
    for (const listener of listeners) listener(...(values as never[]));
    return listeners.length > 0;
  }

  listenerCount(event: string): number {
    return this.#listeners.get(event)?.length ?? 0;
  }
}

/** One end of a pipe between two programs. */
export class PipeEnd extends Emitter {
  /** Receives what is written. */
  onWrite: (chunk: Uint8Array | string) => void = () => {};
  onEnd: () => void = () => {};

  write(chunk: Uint8Array | string, done?: () => void): boolean {
    if (chunk !== "") this.onWrite(chunk);
    done?.();
    return true;
  }

  end(chunk?: Uint8Array | string): void {
    if (chunk !== undefined && chunk !== "") this.onWrite(chunk);
    this.onEnd();
  }

  resume(): this {
    return this;
  }

  pause(): this {
    return this;
  }

  destroy(): void {}
  unref(): void {}
}
