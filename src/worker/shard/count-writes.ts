import { isThenable } from "../../runtime/is-thenable.ts";

/** Calls `onWrite` after every successful write of a shard's writers. Returns false if a writer cannot be wrapped. */
export function countWrites(writers: object, onWrite: () => void): boolean {
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
