import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { openEventStream } from "../../../src/dashboard/server/event-stream.ts";
import type { RunWatch, Watcher } from "../../../src/dashboard/view/watch-run.ts";

/** A connection whose reader can be held, and what was written to it. */
class Connection extends EventEmitter {
  written: string[] = [];
  writableLength = 0;
  isHeld = false;
  isEnded = false;
  writeHead() {}
  write(text: string): boolean {
    this.written.push(text);
    if (this.isHeld) this.writableLength += text.length;
    return !this.isHeld;
  }
  end() {
    this.isEnded = true;
  }
  /** The reader has caught up. */
  drain() {
    this.isHeld = false;
    this.writableLength = 0;
    this.emit("drain");
  }
  events() {
    return this.written.flatMap((text) => /^event: (\w+)/.exec(text)?.[1] ?? []);
  }
}

function open() {
  const watchers = new Set<Watcher>();
  const watch = {
    subscribe(watcher: Watcher) {
      watchers.add(watcher);
      watcher.onSnapshot("{}");
      return () => watchers.delete(watcher);
    },
  } as unknown as RunWatch;
  const connection = new Connection();
  let closed = 0;
  openEventStream(connection as unknown as ServerResponse, watch, () => closed++);
  return {
    connection,
    watchers,
    closed: () => closed,
    update: (json: string) => [...watchers].map((w) => w.onUpdate(json)),
  };
}

describe("a stream of events", () => {
  it("begins with a snapshot and continues with updates", () => {
    const { connection, update } = open();
    update('{"a":1}');
    expect(connection.events()).toEqual(["snapshot", "update"]);
    expect(connection.written.at(-1)).toBe('event: update\ndata: {"a":1}\n\n');
  });

  it("queues nothing for a reader that has fallen behind, and gives it a new snapshot once it has caught up", () => {
    const { connection, watchers, update } = open();
    connection.isHeld = true;
    const large = JSON.stringify("x".repeat(100_000));
    for (let i = 0; i < 1000; i++) update(large);
    expect(connection.writableLength).toBeLessThan(2_000_000);
    expect(watchers.size).toBe(0);
    connection.drain();
    expect(connection.events().at(-1)).toBe("snapshot");
    update("{}");
    expect(connection.events().at(-1)).toBe("update");
    expect(watchers.size).toBe(1);
  });

  it("lets a reader that is only a little behind have every update", () => {
    const { connection, update } = open();
    connection.isHeld = true;
    for (let i = 0; i < 20; i++) update("{}");
    connection.drain();
    expect(connection.events()).toEqual(["snapshot", ...Array<string>(20).fill("update")]);
  });

  it("asks for nothing more once the reader has gone", () => {
    const { connection, watchers, closed } = open();
    connection.emit("close");
    expect([watchers.size, closed()]).toEqual([0, 1]);
  });
});
