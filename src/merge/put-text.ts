import { writeFully } from "../store/durable-files.ts";
import { makeAtOnce } from "./make-at-once.ts";

/** Makes a file of texts; `path` keeps its old content until the new one is complete. */
export function putText(path: string, texts: Iterable<string>): void {
  makeAtOnce(path, (fd) => {
    for (const text of texts) writeFully(fd, Buffer.from(text), path);
  });
}
