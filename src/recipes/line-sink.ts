import { writeSync } from "node:fs";

const flushAtCharacters = 1 << 16;

/** Buffers lines for an open file, so that many are written with one system call. */
export class LineSink {
  private readonly fd: number;
  private text = "";

  constructor(fd: number) {
    this.fd = fd;
  }

  write(line: string): void {
    this.text += `${line}\n`;
    if (this.text.length >= flushAtCharacters) this.flush();
  }

  flush(): void {
    const bytes = Buffer.from(this.text);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at);
    this.text = "";
  }
}
