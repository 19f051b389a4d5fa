const maxBytes = 64 * 1024;
// Limit for the message at the start of a stack. The message is also stored separately in full; the frames say more.
const maxMessageBytesInStack = 4 * 1024;

/**
 * The first 64 kB of a text, with a note of how much is missing: an error of megabytes must not fill disk and memory.
 */
export function cutText(text: string, max: number = maxBytes): string {
  // A UTF-16 code unit takes at most three bytes.
  if (3 * text.length <= max) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= max) return text;
  const kept = Buffer.from(text.slice(0, max))
    .toString("utf8", 0, max)
    .replace(/\ufffd$/, "");
  return `${kept}\n[${bytes - Buffer.byteLength(kept)} bytes more were cut off]`;
}

/** The stack of an error. The message at its start is cut first, because the frames follow it. */
export function cutStack({ stack, message }: { readonly stack: string; readonly message: unknown }): string {
  const start = typeof message === "string" && stack.length > maxMessageBytesInStack ? stack.indexOf(message) : -1;
  if (start === -1) return cutText(stack);
  const text = message as string;
  const frames = stack.slice(start + text.length);
  return cutText(`${stack.slice(0, start)}${cutText(text, maxMessageBytesInStack)}${frames}`);
}
