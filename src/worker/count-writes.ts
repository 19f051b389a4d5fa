import { isThenable } from "../shared/is-thenable.ts";
import type { Writers } from "./runner-hooks.ts";

/** Calls back after every write of a shard's writers that was not refused; false where not all of them can be watched. */
export function countWrites(writers: Writers, onWrite: () => void): boolean {
  return Object.values(writers).every((writer) => {
    const { write } = (writer ?? {}) as { write?: (...args: unknown[]) => unknown };
    if (typeof writer !== "object" || writer === null || typeof write !== "function") return false;
    const counted = function (this: unknown, ...args: unknown[]) {
      const answer = write.apply(this, args);
      if (!isThenable(answer)) {
        onWrite();
        return answer;
      }
      return answer.then((value) => {
        onWrite();
        return value;
      });
    };
    return Reflect.defineProperty(writer, "write", { value: counted, writable: true, configurable: true });
  });
}
