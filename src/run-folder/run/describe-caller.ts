import { hostname, userInfo } from "node:os";

/** Who calls this process and where, for people to read. */
export function describeCaller(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A user without a name, as in some containers.
    return `user ${process.geteuid?.()}@${hostname()}`;
  }
}
