/** Limits how many calls of `forward` a worker has open at a time. */
export class CallSlots {
  /** The number of open calls. */
  taken = 0;
  private readonly size: number;
  /** Callers that wait for a free slot or for all slots, in the order of their requests. */
  private readonly waiting: { readonly isForAll: boolean; readonly wake: () => void }[] = [];
  private readonly onFree = new Set<() => void>();
  private isExclusive = false;

  constructor(size: number) {
    this.size = size;
  }

  /** Takes a slot if one is free and no other caller waits. */
  tryTake(): boolean {
    if (this.waiting.length > 0 || !this.hasRoom()) return false;
    this.taken++;
    return true;
  }

  async take(): Promise<void> {
    if (!this.tryTake()) await this.wait(false);
  }

  /** Waits until no call is open. No other call begins until `release`. */
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

  /** Calls a function whenever a slot becomes free. */
  watch(call: () => void): void {
    this.onFree.add(call);
  }

  unwatch(call: () => void): void {
    this.onFree.delete(call);
  }

  /** Whether `tryTake` would succeed. */
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
