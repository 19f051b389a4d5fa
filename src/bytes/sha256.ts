/** The SHA-256 of a text or of bytes, in hex. */
export function sha256(content: string | Uint8Array): string {
  // Loaded on first use: most workers never need it, and a static import would delay their first item.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
