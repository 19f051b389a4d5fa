/** How many calls of `forward` a worker has open, of those it may have. */
export class CallSlots {
  /** How many are open. */
  taken = 0;
  private readonly size: number;
  /** Those that wait for a free slot, or for all of them, in the order in which they came. */
  private readonly waiting: { readonly isForAll: boolean; readonly wake: () => void }[] = [];
  private readonly onFree = new Set<() => void>();
  private isExclusive = false;

  constructor(size: number) {
    this.size = size;
  }

  /** Takes a slot, if one is free and none has waited for longer. */
  tryTake(): boolean {
    if (this.waiting.length > 0 || !this.hasRoom()) return false;
    this.taken++;
    return true;
  }

  async take(): Promise<void> {
    if (!this.tryTake()) await this.wait(false);
  }

  /** Waits until no call is open, and keeps others from beginning until `release`. */
  async takeAll(): Promise<void> {
    if (this.waiting.length === 0 && this.taken === 0) {
      this.taken = 1;
      this.isExclusive = true;
    } else await this.wait(true);
  }

  release(): void {
    this.taken--;
    this.isExclusive = false;
    this.serve();
    if (this.waiting.length === 0 && this.hasRoom()) for (const call of this.onFree) call();
  }

  /** Has a function called whenever a slot is free for the taking. */
  watch(call: () => void): void {
    this.onFree.add(call);
  }

  unwatch(call: () => void): void {
    this.onFree.delete(call);
  }

  /** Whether `tryTake` would take one. */
  get isFree(): boolean {
    return this.waiting.length === 0 && this.hasRoom();
  }

  private hasRoom(): boolean {
    return !this.isExclusive && this.taken < this.size;
  }

  private wait(isForAll: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ isForAll, wake: resolve });
    });
  }

  private serve(): void {
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      if (next.isForAll ? this.taken > 0 : !this.hasRoom()) return;
      this.waiting.shift();
      this.taken++;
      this.isExclusive = next.isForAll;
      next.wake();
    }
  }
}
