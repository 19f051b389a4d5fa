import type { ThreadMessage } from "../worker/worker-line.ts";

/**
 * Has what a thread prints arrive at its driver whatever ends the thread. Node.js waits for an answer before it passes on
 * more and drops the rest at the end; a message that was posted arrives even if the thread ends right after.
 */
export function postOutput(send: (message: ThreadMessage) => void): void {
  for (const stream of ["stdout", "stderr"] as const)
    Object.assign(process[stream], {
      _write(chunk: string | Uint8Array, encoding: BufferEncoding, done: () => void) {
        // Copied: a message takes along the whole memory that a small buffer is a part of.
        const bytes = new Uint8Array(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
        send({ say: "output", stream, bytes });
        done();
      },
      _writev: null,
    });
}
